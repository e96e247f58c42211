package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/notice"
	"github.com/memctl/memctl/memory/view"
)

// proposalChoices are the answers to one proposal.
func proposalChoices() []view.Choice {
	return []view.Choice{
		{Key: "a", Label: "accept", Help: "store it as your own statement"},
		{Key: "e", Label: "edit", Help: "store it in other words"},
		{Key: "d", Label: "drop", Help: "store nothing, and never propose it again"},
		{Key: "r", Label: "accept the rest", Help: "store this one and all that follow"},
		{Key: "s", Label: "skip", Help: "decide nothing: the next capture shows it again"},
		{Key: "q", Label: "quit", Help: "store what you accepted, and end"},
	}
}

// askProposals asks about each proposal, and then stores what the person accepted. Ctrl-C ends
// it with nothing stored.
func (s *session) askProposals(list []*notice.Proposal) ([]edit.ImportResult, error) {
	var accepted, dropped []*notice.Proposal
ask:
	for i, p := range list {
		s.showProposal(p, i+1, len(list))
		k, err := s.askChoice(proposalChoices())
		if errors.Is(err, errQuit) {
			s.note("interrupted", "interrupted; nothing is stored")
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		switch k.Key {
		case "a":
			accepted = append(accepted, p)
		case "e":
			text, err := s.newText()
			if err != nil {
				return nil, err
			}
			if text != "" {
				dropped = append(dropped, p) // its own words are not proposed again
				p.Reword(text, list)
				accepted = append(accepted, p)
			}
		case "d":
			dropped = append(dropped, p)
		case "r":
			accepted = append(accepted, list[i:]...)
			break ask
		case "q":
			break ask
		}
	}
	for _, p := range dropped {
		if err := p.Drop(); err != nil {
			return nil, err
		}
	}
	return notice.Accept(s.ctx, s.Options, accepted)
}

// showProposal shows one proposal before the question.
func (s *session) showProposal(p *notice.Proposal, n, of int) {
	err, colour := s.streams.Err, s.streams.ErrColour
	fmt.Fprintf(err, "\n[%d/%d] %s  (%s)\n", n, of, term.Strong.Paint(colour, inert(p.Key)), inert(p.Scope))
	fmt.Fprintf(err, "      %s\n", inert(p.Text))
	fmt.Fprintf(err, "      you said: %s\n", inert(p.Sentence))
	if p.Replaces != "" {
		fmt.Fprintf(err, "      in place of: %s\n", inert(p.Replaces))
	}
	facts := "on " + p.Day + ", session " + p.Session
	if p.Times > 1 {
		facts += fmt.Sprintf(", in %d sessions", p.Times)
	}
	if p.Folder != "" {
		facts += ", about " + p.Folder
	}
	fmt.Fprintf(err, "      %s\n", term.Faint.Paint(colour, inert(facts)))
}

// newText asks for another text on one line; "" is none.
func (s *session) newText() (string, error) {
	fmt.Fprint(s.streams.Err, "new text (empty: skip): ")
	line, err := s.streams.ReadLine(s.ctx)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
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
		style := term.Strong
		state := p.State
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

// printCaptured prints the stored memories.
func (s *session) printCaptured(res captureResult, results []edit.ImportResult) error {
	refused := 0
	for _, r := range results {
		res.Writes = append(res.Writes, r.Writes...)
		refused += r.RefusedCount
	}
	if err := present(s, res, nil, func(res captureResult) error { return s.printCapturedText(res, results) }); err != nil {
		return err
	}
	if refused > 0 {
		return statusError(statusRefused)
	}
	return nil
}

func (s *session) printCapturedText(res captureResult, results []edit.ImportResult) error {
	s.notes(s.withPendingNotes(nil))
	for _, r := range results {
		for i := range r.Entries {
			r.Entries[i].Line = 0 // a proposal has a key, and no line
		}
		r.Name = s.stores.Said("stored", "would store")
		s.printImportText(r, true)
	}
	if res.ReviewCount == 0 {
		return nil
	}
	s.note("proposals-queued", s.stores.Said("put ", "would put ")+count(res.ReviewCount, "proposal")+" into the review queue")
	if !s.dryRun() {
		s.hint(memory.ReviewHint)
	}
	return nil
}
