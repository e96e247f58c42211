package yamltext

import (
	"fmt"
	"strings"
	"unicode"
)

// Type is what readers of the YAML 1.2 core schema take a plain scalar for.
type Type uint8

// The types of a plain scalar.
const (
	String Type = iota
	Null
	Bool
	Number
)

// TypeOf says what a plain scalar with this text is.
func TypeOf(text string) Type {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	if isNumber(text) {
		return Number
	}
	return String
}

// isNumber follows the core schema: 12, 0o7, 0x1F, 1.5e3, .5, -.inf, .nan.
func isNumber(s string) bool {
	if strings.HasPrefix(s, "0o") {
		return len(s) > 2 && strings.Trim(s[2:], "01234567") == ""
	}
	if strings.HasPrefix(s, "0x") {
		return len(s) > 2 && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
	}
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	}
	rest := strings.TrimLeft(s, "0123456789")
	digits := len(s) - len(rest)
	if strings.HasPrefix(rest, ".") {
		frac := strings.TrimLeft(rest[1:], "0123456789")
		digits += len(rest) - 1 - len(frac)
		rest = frac
	}
	if digits == 0 {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	exp := rest[1:]
	if exp != "" && (exp[0] == '-' || exp[0] == '+') {
		exp = exp[1:]
	}
	return exp != "" && strings.Trim(exp, "0123456789") == ""
}

// IsDay reports whether s has the form of a day, 2006-01-02.
func IsDay(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	return strings.Trim(s[:4]+s[5:7]+s[8:], "0123456789") == ""
}

// Quote writes a string so that YAML 1.1 and 1.2 readers take it for that
// string: plain where both do, else double-quoted on one line. inFlow is for
// places inside brackets. What git's attribute ident would write an id into
// is quoted, and its $ escaped. Bytes that are not UTF-8 cannot be kept.
func Quote(s string, inFlow bool) string {
	if isPlainSafe(s, inFlow) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		if startsWithGitKeyword(s[i:]) {
			b.WriteString(`\x24`)
			continue
		}
		writeEscaped(&b, r)
	}
	b.WriteByte('"')
	return b.String()
}

// startsWithGitKeyword reports whether a text begins with what git's attribute ident replaces.
func startsWithGitKeyword(s string) bool {
	return strings.HasPrefix(s, "$Id$") || strings.HasPrefix(s, "$Id:")
}

// writeEscaped escapes with the sequences that YAML 1.1 and 1.2 share.
func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case isPrintable(r):
		b.WriteRune(r)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02X`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04X`, r)
	default:
		fmt.Fprintf(b, `\U%08X`, r)
	}
}

// isPrintable is false for what a reader could take for a line break or refuse, and
// what nobody sees (direction marks, zero-width characters), so that a review
// shows it. Joiners stay: emoji and several scripts need them.
func isPrintable(r rune) bool {
	if r < 0x7f {
		return r >= 0x20
	}
	switch r {
	case 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff:
		return false
	case 0x200c, 0x200d, 0xa0:
		return true
	}
	return r >= 0xa0 && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Co, r)
}

func isPlainSafe(s string, inFlow bool) bool {
	if s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || !isPlainStart(s) {
		return false
	}
	for i, r := range s {
		switch {
		case !isPrintable(r), r == '$' && startsWithGitKeyword(s[i:]):
			return false
		case r == ':' && (inFlow || s[i+1] == ' '):
			return false
		case r == '#' && (inFlow || s[i-1] == ' '):
			return false
		case inFlow && (r < 0x80 && isFlowPunctuation(byte(r)) || r == '?'):
			return false
		}
	}
	return !mayBeOtherType(s)
}

// isPlainStart allows fewer first characters than YAML does, so that no reader's
// reading of an indicator matters.
func isPlainStart(s string) bool {
	c := s[0]
	if c >= 0x80 {
		for _, r := range s {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r)
		}
	}
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '/' || c == '(' || c == '$' || c == '.' || c == '+'
}

// mayBeOtherType reports whether a YAML 1.1 or 1.2 reader could take the text for
// something that is no string. It errs on the side of yes: any text made of
// the characters of numbers, times and dates alone counts.
func mayBeOtherType(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
		".nan", ".inf", "+.inf":
		return true
	}
	if strings.HasPrefix(s, "...") {
		return true
	}
	if c := s[0]; c != '.' && c != '+' && (c < '0' || c > '9') {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEFxXoOtTzZ_:.,+- ") == ""
}
