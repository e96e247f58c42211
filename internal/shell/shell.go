// Package shell writes text as words of a POSIX shell, for commands to paste and for those
// that git runs.
package shell

import "strings"

// Quote returns the text as one word that a shell reads back unchanged. A text that needs
// no quotes is returned as it is.
func Quote(text string) string {
	if text == "" || strings.ContainsFunc(text, special) {
		return QuoteAlways(text)
	}
	return text
}

// QuoteAlways is Quote with quotes around every text.
func QuoteAlways(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func special(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("-_./:=@+,%", r)
}
