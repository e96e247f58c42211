package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/acts/notice"
	"github.com/memctl/memctl/memory/reading/view"
)

// reviewProposals asks once, and then puts the proposals into the review queue and reviews them.
func (s *session) reviewProposals(list []*notice.Proposal) error {
	if !s.confirmYes("Put " + count(len(list), "statement") + " into the review queue, and review now?") {
		return nil
	}
	if err := notice.Enqueue(s.ctx, s.Options, list); err != nil {
		return err
	}
	result, err := view.Review(s.ctx, s.stores, s.Reader(), s.Scope)
	if err != nil {
		return err
	}
	result.Waiting = slices.DeleteFunc(result.Waiting, func(w view.Waiting) bool {
		return !slices.ContainsFunc(list, func(p *notice.Proposal) bool { return p.Key == w.Key && p.Scope == w.Scope && p.Sentence == w.Said })
	})
	return s.decideEach(result)
}

// printProposals prints the proposals as a table.
// The text read names the transcripts that were read.
func (s *session) printProposals(res captureResult, read string) error {
	if res.SkippedCount > 0 {
		s.note("records-skipped", fmt.Sprintf("skipped %s that cannot be read", count(res.SkippedCount, "record")))
	}
	if res.RefusedCount > 0 {
		s.note("statements-refused", fmt.Sprintf("left out %s that the policy refuses", count(res.RefusedCount, "statement")))
	}
	if len(res.Proposals) == 0 {
		s.note("nothing-found", "nothing to remember in "+read)
		return nil
	}
	s.note("statements-found", "found "+count(len(res.Proposals), "statement")+" in "+read)
	t := term.Table{Max: keyColumn}
	for _, p := range res.Proposals {
		style, state := term.Strong, p.State
		if p.State != notice.StateNew {
			style = term.Faint
		}
		if p.Known != "" && p.Known != p.Key {
			state += " as " + p.Known
		}
		session := p.Session // the beginning of an ID, and a file's name as it is
		if strings.Count(session, "-") == 4 && len(session) == 36 {
			session = short(session)
		}
		t.Cells(term.Cell{Text: inert(p.Key), Style: style}, term.Cell{Text: inert(p.Scope)}, term.Cell{Text: inert(state), Style: term.Faint},
			term.Cell{Text: inert(p.Day)}, term.Cell{Text: inert(session)}, term.Cell{Text: fmt.Sprintf("%dx", p.Times)}, term.Cell{Text: inert(p.Sentence)})
	}
	return s.print(t.Text(s.streams.OutColour))
}
