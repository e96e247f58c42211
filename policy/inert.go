package policy

import (
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
)

// Inert makes text safe to print as part of one plain line: control,
// bidirectional and zero-width characters go, line breaks and tabs become
// spaces, terminal escapes vanish whole, bytes that are not UTF-8 become
// U+FFFD. What is plain already comes back as it is.
func Inert(s string) string {
	if inertAlready(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := escapeLen(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' || r == '\t' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 || r == '\v' || r == '\f':
			b.WriteByte(' ')
		case chars.HiddenRune(r, n, s, i) == "":
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// Cut returns at most so many characters of a text, with an ellipsis where more follow.
func Cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func inertAlready(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// escapeLen is the length of the terminal escape sequence that s begins with,
// 0 where it begins with none. An unfinished string sequence (OSC, DCS, …) is
// only its introducer, so that it cannot swallow the text after it.
func escapeLen(s string) int {
	kind, at := byte(0), 0
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		kind, at = s[1], 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] == 0x9b: // CSI as one C1 character
		kind, at = '[', 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] == 0x9d: // OSC
		kind, at = ']', 2
	default:
		return 0
	}
	switch kind {
	case '[':
		for at < len(s) && s[at] >= 0x20 && s[at] <= 0x3f {
			at++
		}
		if at < len(s) && s[at] >= 0x40 && s[at] <= 0x7e {
			at++
		}
		return at
	case ']', 'P', '^', '_', 'X':
		for k := at; k < len(s) && k-at < 4096; k++ {
			if s[k] == 0x07 {
				return k + 1
			}
			if s[k] == 0x1b && k+1 < len(s) && s[k+1] == '\\' {
				return k + 2
			}
		}
		return at
	}
	if kind >= 0x20 && kind <= 0x7e {
		return 2
	}
	return 1
}
