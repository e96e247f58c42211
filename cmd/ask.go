package cmd

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/term"
)

// mayAsk reports whether memctl can ask a person.
func (a *app) mayAsk() bool { return a.streams.Interactive() && !a.global.json }

// ask puts a question that is answered with yes or no, on stderr. Anything but
// a yes is no, and a dry run asks nothing.
func (s *session) ask(question string) bool {
	return !s.dryRun() && slices.Contains([]string{"y", "yes"}, s.choose(question, "[y/N]"))
}

// choose puts a question and returns the answer in lower case, "" where there is none.
func (s *session) choose(question, answers string) string {
	_, _ = s.streams.Err.Write([]byte(term.Strong.Paint(s.streams.ErrColour, inert(question)+" "+answers) + " "))
	line, err := s.streams.ReadLine(s.ctx)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(line))
}

// keepsTemporary asks a person at a terminal whether something that sounds temporary lasts,
// and sets lasts when they say yes. It reports whether the write goes on: it does too where
// memctl can ask nobody, and then the answer has a note.
func (s *session) keepsTemporary(temporary bool, lasts *bool) bool {
	if !temporary || !s.mayAsk() || s.dryRun() {
		return true
	}
	*lasts = s.ask("This sounds temporary. Store it without a day of expiry?")
	if !*lasts {
		s.talk("note: nothing changed; use --expires DAY to let it expire")
	}
	return *lasts
}
