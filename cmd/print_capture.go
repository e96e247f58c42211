package cmd

import (
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/notice"
)

// sessionShown is how many characters of a session's ID a table shows.
const sessionShown = 8

// printProposals prints the table of what was found.
// read says what was read.
func (s *session) printProposals(res captureResult, read string) error {
	if res.SkippedCount > 0 {
		s.talk(fmt.Sprintf("note: skipped %s that cannot be read", count(res.SkippedCount, "record")))
	}
	if res.RefusedCount > 0 {
		s.talk(fmt.Sprintf("note: left out %s that the policy refuses", count(res.RefusedCount, "statement")))
	}
	if len(res.Proposals) == 0 {
		s.talk("note: nothing to remember in " + read)
		return nil
	}
	s.talk("note: found " + count(len(res.Proposals), "statement") + " in " + read)
	var b strings.Builder
	t := term.Table{Max: keyColumn}
	for _, p := range res.Proposals {
		style := term.Strong
		state := p.State
		if p.State != notice.StateNew {
			style = term.Faint
		}
		if p.Known != "" && p.Known != p.Key {
			state += " as " + p.Known
		}
		t.Cells(term.Cell{Text: inert(p.Key), Style: style}, term.Cell{Text: inert(p.Kind)}, term.Cell{Text: inert(p.Scope)}, term.Cell{Text: inert(state), Style: term.Faint},
			term.Cell{Text: inert(p.Day)}, term.Cell{Text: inert(shortSession(p.Session))}, term.Cell{Text: fmt.Sprintf("%dx", p.Times)}, term.Cell{Text: inert(p.Sentence)})
	}
	_ = t.Write(&b, s.streams.OutColour)
	return s.print(b.String())
}

// shortSession is a session's name in a table: the beginning of an ID, and a file's name as it is.
func shortSession(id string) string {
	if strings.Count(id, "-") == 4 && len(id) == 36 {
		return id[:sessionShown]
	}
	return id
}

// captured prints what was stored.
func (s *session) captured(res captureResult, results []edit.ImportResult) error {
	refused := 0
	for _, r := range results {
		res.Writes = append(res.Writes, r.Writes...)
		refused += r.RefusedCount
	}
	if err := present(s, res, nil, func(res captureResult) error { return s.capturedText(res, results) }); err != nil {
		return err
	}
	if refused > 0 {
		return statusError(statusRefused)
	}
	return nil
}

func (s *session) capturedText(res captureResult, results []edit.ImportResult) error {
	s.notes(s.withCameIn(nil))
	for _, r := range results {
		for i := range r.Entries {
			r.Entries[i].Line = 0 // a proposal has a key, and no line
		}
		r.Name = s.stores.Said("stored", "would store")
		if err := s.printImportText(r); err != nil {
			return err
		}
	}
	if res.ReviewCount == 0 {
		return nil
	}
	s.talk("note: " + s.stores.Said("put ", "would put ") + count(res.ReviewCount, "proposal") + " into the review queue")
	if !s.dryRun() {
		s.hint(reviewHint)
	}
	return nil
}
