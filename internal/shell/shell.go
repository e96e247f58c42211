// Package shell writes words for commands that a person pastes into a shell.
package shell

import "strings"

// Word writes a word so that a shell reads it back as it is.
func Word(s string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_./:=@+,", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return Quote(s)
}

// Quote is Word with quotes around every word.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
