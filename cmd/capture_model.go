package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/acts/notice"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// captureByModel lets a model read a file, or the sessions that wait for it.
func (s *session) captureByModel(o *captureOptions, args []string) error {
	chain, err := extraction.Chain(s.ctx, s.stores)
	if err != nil {
		return err
	}
	if !s.dryRun() {
		s.commitPending()
	}
	res := extraction.NewResult()
	if o.pending {
		err = extraction.Pending(s.ctx, s.stores, chain, false, &res)
	} else {
		l := s.sessionReader(o)
		l.turns = func(c extraction.Conversation) error {
			c.Scope = s.Scope
			return extraction.Extract(s.ctx, s.stores, chain, c, &res)
		}
		err = l.file(args[0])
	}
	return errors.Join(err, present(s, res, nil, func(res extraction.Result) error {
		s.notes(s.withPendingNotes(nil))
		s.printExtracted(res)
		return nil
	}))
}

// conversation hands a transcript to what reads conversations.
func (l *sessionReader) conversation(r *transcript.Reader, shown string, placeOf func(transcript.Session) (string, error)) error {
	c := extraction.Conversation{Time: l.now()}
	asked := false
	for t := range r.Turns() {
		if !asked {
			asked = true
			if _, err := placeOf(t.Session); err != nil {
				return err
			}
		}
		if t.Text == "" || t.By != transcript.Person && t.By != transcript.Assistant {
			continue
		}
		c.Session = cmp.Or(t.Session.ID, c.Session)
		if !t.Time.IsZero() {
			c.Time = t.Time
		}
		c.Turns = append(c.Turns, extract.Turn{By: t.By, Text: t.Text})
	}
	l.skipped += r.Skipped()
	c.Session = cmp.Or(c.Session, shown)
	if err := r.Err(); err != nil {
		return err
	}
	return l.turns(c)
}

// printExtracted prints what became of a model's findings.
func (s *session) printExtracted(res extraction.Result) {
	for _, w := range res.Writes {
		switch {
		case w.Why == txn.WhyDryRun && w.Saved != "":
			_ = s.print(inert(strings.NewReplacer("Saved: ", "Would save: ", "; undo: memctl undo)", ")", " (undo: memctl undo)", "").Replace(w.Saved)) + "\n")
		case w.Saved != "":
			s.talk(w.Saved)
		case w.Verdict == policy.Hold.String():
			s.talk("Waits for review: " + cmp.Or(w.Key, w.Act))
		}
	}
	found := fmt.Sprintf("%s in %s (%d tokens)", count(res.Found, "statement"), count(res.Requests, "answer"), res.Tokens)
	s.note("model-found", joinFacts([]string{found, countOrEmpty(res.Ungrounded, "not in your words"), countOrEmpty(res.Known, "known"), countOrEmpty(res.Refused, "refused")}))
	if res.Waiting > 0 {
		s.note("sessions-waiting", count(res.Waiting, "session")+" still waiting for a model")
	}
}

const (
	// firstReading and readingEvery are when a running server looks for sessions that wait.
	firstReading = 5 * time.Second
	readingEvery = time.Minute
	// maxReadingEvery bounds the pause, which doubles with each failure of the models.
	maxReadingEvery = time.Hour
)

// readingPause is how long a server waits between readings: longer with each failure in a row.
func readingPause(failures int) time.Duration {
	return min(readingEvery<<min(failures, 6), maxReadingEvery)
}

// readInBackground lets models read the sessions that are due, as long as the server runs. stop ends that, and
// returns when nothing of it runs any more.
func (s *session) readInBackground(open func(context.Context, string) (*store.Stores, error)) (stop func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		failures := 0
		for wait := firstReading; ; wait = readingPause(failures) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			ss, err := open(ctx, "")
			if err == nil {
				err = extraction.Background(ctx, ss) // doctor tells of models that fail
			}
			if failures++; err == nil {
				failures = 0
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

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
	t := term.Table{MaxWidth: keyColumn}
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
		t.AddCells(term.Cell{Text: inert(p.Key), Style: style}, term.Cell{Text: inert(p.Scope)}, term.Cell{Text: inert(state), Style: term.Faint},
			term.Cell{Text: inert(p.Day)}, term.Cell{Text: inert(session)}, term.Cell{Text: fmt.Sprintf("%dx", p.Times)}, term.Cell{Text: inert(p.Sentence)})
	}
	return s.print(t.Text(s.streams.OutColour))
}
