package session

import (
	"strings"

	"github.com/memctl/memctl/policy"
)

// Defuse makes a text one plain line that can neither close the place where it
// stands nor open another: control, bidirectional and zero-width characters
// go, fences become quotes, and what could be read as a tag loses its bracket.
func Defuse(s string) string {
	s = policy.Inert(s)
	s = strings.ReplaceAll(s, "```", "'''")
	s = strings.ReplaceAll(s, "~~~", "'''")
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '<' && opensTag(s, i) {
			b.WriteString("‹")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// opensTag reports whether the bracket at i could begin a tag: a closing one
// anywhere, an opening one unless a word stands right before it, as in
// List<String>.
func opensTag(s string, i int) bool {
	if i+1 == len(s) {
		return false
	}
	next := s[i+1]
	if next == '/' || next == '!' || next == '?' {
		return true
	}
	return isLetter(next) && (i == 0 || !isLetter(s[i-1]))
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
