package cmd

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
)

// mayAsk reports whether memctl can ask a person.
func (a *app) mayAsk() bool { return a.streams.Interactive() && !a.global.json }

// confirmYes puts a question that is answered with yes or no, on stderr. Anything but
// a yes is no, and a dry run asks nothing.
func (s *session) confirmYes(question string) bool {
	return !s.dryRun() && slices.Contains([]string{"y", "yes"}, s.choose(question, "[y/N]"))
}

// choose puts a question and returns the answer in lower case, "" for the Enter key alone, and n where there is none.
func (s *session) choose(question, answers string) string {
	_, _ = s.streams.Err.Write([]byte(term.Strong.Paint(s.streams.ErrColour, inert(question)+" "+answers) + " "))
	line, err := s.streams.ReadLine(s.ctx)
	if err != nil {
		return "n"
	}
	return strings.ToLower(strings.TrimSpace(line))
}

// offerMemoryFile runs an act that stores something new. Where the repository has no memory file for it,
// memctl asks a person at a terminal where it shall go, and runs the act again. Elsewhere the
// error names the two commands that store it.
func (s *session) offerMemoryFile(o *memory.Options, act func() (memory.Write, error)) error {
	w, err := act()
	var missing *fault.Error
	if !errors.As(err, &missing) || missing.Code != fault.NoMemoryFile || o.Scope != "" || !o.Explicit() {
		return s.finishOne(w, err)
	}
	if missing.RestoreCommand == "" && s.mayAsk() && !s.dryRun() {
		switch s.choose("This repository has no memory file. Create memories.md here?", "[y/N/user]") {
		case "y", "yes":
			res, err := setup.Init(s.ctx, s.stores, setup.InitRequest{Options: memory.Options{Origin: o.Origin}, Ask: s.confirmYes})
			if err != nil {
				return err
			}
			s.print(initText(res))
			return s.finishOne(act())
		case "u", "user":
			o.Scope = store.User
			return s.finishOne(act())
		}
	}
	missing.Hints = []string{cmp.Or(missing.RestoreCommand, "memctl init"), s.commandWith("--scope " + store.User)}
	return s.finishOne(w, missing)
}

// offerOtherClone offers the private store of another clone, at the first command of a person in
// this one: at a terminal as a question, else as a line with the command.
func (s *session) offerOtherClone() {
	if !s.Explicit() || s.global.json || s.global.quiet {
		return
	}
	id, clone := s.stores.Attachable(s.ctx)
	if st, err := s.stores.Get(s.ctx, store.Private); err != nil || st.Dir != "" || id == "" || clone == "" && !s.streams.Interactive() {
		return
	}
	decided := ""
	if s.streams.Interactive() {
		if s.confirmYes("Another clone of this repository has private memory. Use it here too?") {
			decided = id
		}
	} else {
		s.note("other-clone", "another clone of this repository has private memory; to use it here too:")
		// The id itself looks like a secret, and would be printed redacted.
		s.hint("git config " + store.PrivateID.Name + ` "$(git -C ` + shell.Quote(strings.TrimSuffix(clone, string(filepath.Separator)+".git")) + ` config ` + store.PrivateID.Name + `)"`)
	}
	if err := s.stores.Attach(s.ctx, decided); err != nil {
		s.note("attach-failed", err.Error())
	}
}
