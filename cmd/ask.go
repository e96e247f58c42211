package cmd

import (
	"strings"

	"github.com/memctl/memctl/internal/term"
)

// ask puts a question that is answered with yes or no, on stderr. Anything but
// a yes is no.
func (s *session) ask(question string) bool {
	_, _ = s.streams.Err.Write([]byte(term.Strong.Paint(s.streams.ErrColour, inert(question)+" [y/N]") + " "))
	line, err := s.streams.ReadLine(s.ctx)
	if err != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
