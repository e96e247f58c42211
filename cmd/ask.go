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

// lasts asks a person at a terminal whether something that sounds temporary lasts. asked is
// false where nobody can be asked: the answer has a note then.
func (s *session) lasts(dryRun bool) (yes, asked bool) {
	if !s.streams.Interactive() || s.global.json || dryRun {
		return false, false
	}
	yes = s.ask("It sounds temporary. Keep it until somebody forgets it?")
	if !yes {
		s.talk("note: nothing is changed; with --expires DAY it has an end")
	}
	return yes, true
}
