package policy

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
)

// Inert makes text safe to print as part of one plain line: control,
// bidirectional and zero-width characters go, line breaks and tabs become
// spaces, terminal escapes vanish whole, bytes that are not UTF-8 become
// U+FFFD. What is plain already comes back as it is.
func Inert(s string) string {
	if isInert(s) {
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

func isInert(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// terminalEscape is a terminal's escape sequence at the beginning of a text. An unfinished string sequence (OSC, DCS, …) is
// only its introducer, so that it cannot swallow the text after it.
var terminalEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:\x1b\[|\x{9b})[ -?]*[@-~]?|(?:\x1b[\]P^_X]|\x{9d})(?s:.*?)(?:\x07|\x1b\\)|\x1b[ -~]?|\x{9d})`)
})

// escapeLen is the length of the terminal escape sequence that s begins with, 0 where it begins with none.
func escapeLen(s string) int {
	if s[0] != 0x1b && s[0] != 0xc2 {
		return 0
	}
	const longest = 4096
	return len(terminalEscape().FindString(s[:min(len(s), longest)]))
}
