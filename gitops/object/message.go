package object

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Trailer is one line "Name: value"; the value is made one line.
type Trailer struct{ Name, Value string }

// Message builds a commit message: subject, body, trailers, each set off by
// an empty line, so that every reader of trailers finds them.
func Message(subject, body string, trailers []Trailer) (string, error) {
	subject = OneLine(subject)
	if subject == "" {
		return "", errors.New("commit message: no subject")
	}
	body = strings.Trim(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	if strings.ContainsRune(body, 0) || !utf8.ValidString(body) {
		return "", errors.New("commit message: not text")
	}
	var b strings.Builder
	b.WriteString(subject + "\n")
	if body != "" {
		b.WriteString("\n" + body + "\n")
	}
	for i, t := range trailers {
		if !isTrailerName(t.Name) {
			return "", fmt.Errorf("commit message: %q: no name of a trailer", t.Name)
		}
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.TrimRight(t.Name+": "+OneLine(t.Value), " ") + "\n")
	}
	return b.String(), nil
}

// OneLine folds every run of white space and control characters into a space.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// isTrailerName: letters, digits and hyphens, as git's own reader wants.
func isTrailerName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// ParseTrailers reads the trailers of a commit message: the last paragraph,
// where it is not the subject and every line of it is "Name: value" or goes on
// from the line before with white space.
func ParseTrailers(message string) []Trailer {
	message = strings.TrimRight(strings.ReplaceAll(message, "\r\n", "\n"), "\n ")
	at := strings.LastIndex(message, "\n\n")
	if at < 0 {
		return nil
	}
	var found []Trailer
	for line := range strings.SplitSeq(message[at+2:], "\n") {
		if len(found) > 0 && strings.HasPrefix(line, " ") {
			found[len(found)-1].Value += " " + strings.TrimSpace(line)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isTrailerName(name) {
			return nil
		}
		found = append(found, Trailer{Name: name, Value: strings.TrimSpace(value)})
	}
	return found
}
