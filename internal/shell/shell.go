// Package shell writes text as words of a shell, for commands to paste and for those that git runs, and finds a POSIX shell.
package shell

import "strings"

// Quote returns the text as one word that the person's shell reads back unchanged. A text that needs
// no quotes is returned as it is.
func Quote(text string) string {
	if text == "" || strings.ContainsFunc(text, needsQuoting) {
		return QuoteAlways(text)
	}
	return text
}

// QuoteAlways is Quote with quotes around every text.
func QuoteAlways(text string) string {
	if posix() {
		return QuoteForSh(text)
	}
	return quoteForWindows(text)
}

// QuoteForSh returns the text in quotes of a POSIX shell.
func QuoteForSh(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func needsQuoting(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && (!strings.ContainsRune("-_./:=@+,%", r) || strings.ContainsRune("@,%", r) && !posix())
}
