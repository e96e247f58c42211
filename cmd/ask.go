package cmd

import (
	"strings"

	"github.com/memctl/memctl/internal/term"
)

// ask puts a question that is answered with yes or no, on stderr. Anything but
// a yes is no, and a dry run asks nothing.
func (s *session) ask(question string) bool {
	if s.dryRun() {
		return false
	}
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

// keepsTemporary asks a person at a terminal whether something that sounds temporary lasts,
// and sets lasts when they say yes. It reports whether the write goes on: it does too where
// memctl can ask nobody, and then the answer has a note.
func (s *session) keepsTemporary(temporary bool, lasts *bool) bool {
	if !temporary || !s.streams.Interactive() || s.global.json || s.dryRun() {
		return true
	}
	*lasts = s.ask("This sounds temporary. Store it without a day of expiry?")
	if !*lasts {
		s.talk("note: nothing changed; use --expires DAY to let it expire")
	}
	return *lasts
}
