package cmd

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/memory/view"
)

func newReview(a *app) *cobra.Command {
	list := false
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide what waits for you",
		Long: `Review goes through everything that waits for your decision: writes in the queue, items
and facts of low confidence, conflicts, proposals from your prompts, and values that another
scope overrides.

At a terminal one key decides each, and the question says what the keys do:
  k keep    f forget    e enter another value    s skip    q quit    ? explain
  m keep my value, t take the other one          (between two values)
  a save everything of that session              (proposals)
Without a terminal, or with --list, review prints the list.`,
		Example: `  memctl review
  memctl review --list
  memctl review --json`,
		RunE: a.run(needStores, func(s *session, _ []string) error { return runReview(s, list) }),
	}
	bindWrite(c)
	c.Flags().BoolVarP(&list, "list", "l", false, "print the list, and ask nothing")
	return c
}

func runReview(s *session, list bool) error {
	result, err := view.Review(s.ctx, s.stores, s.Scope)
	return present(s, result, err, func(result view.ReviewResult) error {
		switch {
		case len(result.Waiting) == 0:
			s.note("queue-empty", "nothing waits for review")
			return nil
		case list || !s.streams.Interactive():
			return s.printLong(waitingText(result.Waiting, s.streams.OutColour))
		}
		return s.decideEach(result)
	})
}

// decideEach asks about everything that waits, one after the other.
func (s *session) decideEach(result view.ReviewResult) error {
	d := dialogue{session: s}
	for i, w := range result.Waiting {
		if w.Session != "" && w.Session == d.all {
			continue // it is saved already
		}
		d.rest = result.Waiting[i+1:]
		if err := d.item(w, i+1, len(result.Waiting)); err != nil {
			if errors.Is(err, errQuit) {
				return d.outcome()
			}
			return err
		}
	}
	return d.outcome()
}

// waitingText is the list of what waits.
func waitingText(waiting []view.Waiting, colour bool) string {
	t := term.Table{Max: keyColumn}
	for _, w := range waiting {
		t.Cells(term.Cell{Text: inert(cmp.Or(w.Key, w.ID, "(an item)")), Style: term.Strong}, term.Cell{Text: inert(w.Scope)},
			term.Cell{Text: waitingWhy(w), Style: term.Warning}, term.Cell{Text: plain(w.Value)})
		for i, rival := range w.Conflict {
			t.Row("", "", "", fmt.Sprintf("or %d: %s%s", i+1, plain(rival.Value), rivalFacts(rival)))
		}
		if w.Stated != nil {
			t.Row("", "", "", "yours in "+inert(w.Stated.Scope)+": "+plain(w.Stated.Value))
		}
		if w.Said != "" {
			t.Row("", "", "", saidText(w))
		}
		if w.Against != nil {
			t.Row("", "", "", againstText(w.Against))
		}
	}
	return t.Text(colour)
}

// saidText is the sentence that a proposal comes from.
func saidText(w view.Waiting) string {
	return "you said on " + inert(w.Day) + ": " + inert(w.Said)
}

func waitingWhy(w view.Waiting) string {
	why := inert(w.Why)
	if len(w.Rules) > 0 && !slices.Equal(w.Rules, []string{w.Why}) {
		why += " (" + inert(strings.Join(w.Rules, ", ")) + ")"
	}
	return why
}

// errQuit ends a review early; nothing is wrong.
var errQuit = errors.New("quit")

// dialogue is one review on a terminal. Questions go to stderr, like all talk.
type dialogue struct {
	*session
	refused bool
	all     string         // the session all of whose proposals are saved
	rest    []view.Waiting // what comes after the one that is asked about
}

// outcome is status 1 where a decision was refused.
func (d *dialogue) outcome() error {
	if d.refused {
		return statusError(statusRefused)
	}
	return nil
}

// item shows one thing that waits and carries out the answer.
func (d *dialogue) item(w view.Waiting, n, of int) error {
	err := d.streams.Err
	colour := d.streams.ErrColour
	fmt.Fprintf(err, "\n[%d/%d] %s  (%s, %s)\n", n, of, term.Strong.Paint(colour, inert(w.Key)), inert(w.Scope), waitingWhy(w))
	for _, line := range valueLines(w) {
		fmt.Fprintf(err, "      %s\n", line)
	}
	if w.Against != nil {
		fmt.Fprintf(err, "      %s\n", againstText(w.Against))
	}
	if w.Said != "" && w.Said != plain(w.Value) {
		fmt.Fprintf(err, "      %s\n", saidText(w))
	}
	if facts := joinFacts([]string{w.Source, w.Day}); facts != "" {
		fmt.Fprintf(err, "      %s\n", term.Faint.Paint(colour, facts))
	}
	k, readErr := d.chooseKey(review.Keys(w))
	if readErr != nil {
		return readErr
	}
	switch k.Key {
	case 's':
		return nil
	case 'q':
		return errQuit
	case 'e':
		return d.edit(w)
	case 'a':
		return d.saveSession(w)
	}
	return d.decide(review.Decision{Options: d.Options, Waiting: w, Action: k.Action, Choice: k.Choice})
}

// saveSession saves what waits from one session.
func (d *dialogue) saveSession(w view.Waiting) error {
	d.all = w.Session
	for _, one := range append([]view.Waiting{w}, d.rest...) {
		if one.Session != w.Session {
			continue
		}
		if err := d.decide(review.Decision{Options: d.Options, Waiting: one, Action: "keep"}); err != nil {
			return err
		}
	}
	return nil
}

// edit asks for another value, on one line. An empty line keeps nothing and
// skips the item.
func (d *dialogue) edit(w view.Waiting) error {
	fmt.Fprint(d.streams.Err, "new value (empty: skip): ")
	line, err := d.streams.ReadLine(d.ctx)
	if errors.Is(err, io.EOF) {
		return errQuit
	}
	if err != nil {
		return err
	}
	if line = strings.TrimSpace(line); line == "" {
		return nil
	}
	value := memfile.Str(line)
	if w.Tier == "" && w.Value.Kind != memfile.String { // a list stays a list: [go, sql]
		if value, err = edit.ParseYAML(w.Key, line); err != nil {
			return d.done(err)
		}
	}
	return d.decide(review.Decision{Options: d.Options, Waiting: w, Action: "edit", Value: &value})
}

func (d *dialogue) decide(decision review.Decision) error {
	decision.Command = rand.Text() // undo reverts one decision, not the whole review
	return d.done(d.finishOne(review.Decide(d.ctx, d.stores, decision)))
}

// done is the error of an answer. A refusal does not end the review.
func (d *dialogue) done(err error) error {
	refused := fault.Answer(err)
	switch {
	case errors.Is(err, statusError(statusRefused)):
		d.refused = true
		return nil
	case refused != nil && refused.Status == statusRefused:
		d.complain(explain(refused))
		d.refused = true
		return nil
	}
	return err
}

// chooseKey asks for one of the keys, until it gets one. Errors: errQuit at the end of the input
// and on Ctrl-C.
func (s *session) chooseKey(keys []review.Key) (review.Key, error) {
	for {
		fmt.Fprint(s.streams.Err, keysQuestion(keys))
		key, err := s.streams.ReadKey(s.ctx)
		if s.streams.InTerminal && err == nil && key >= ' ' {
			fmt.Fprintf(s.streams.Err, "%c\n", key)
		}
		switch {
		case errors.Is(err, term.ErrInterrupted), errors.Is(err, io.EOF):
			fmt.Fprintln(s.streams.Err)
			return review.Key{}, errQuit
		case err != nil:
			return review.Key{}, err
		case key == '?':
			fmt.Fprint(s.streams.Err, keysHelp(keys))
			continue
		}
		if i := slices.IndexFunc(keys, func(k review.Key) bool { return k.Key == unicode.ToLower(key) }); i >= 0 {
			return keys[i], nil
		}
	}
}

// keysQuestion names every key and what it does.
func keysQuestion(keys []review.Key) string {
	var names []string
	for _, k := range keys {
		names = append(names, fmt.Sprintf("[%c] %s", k.Key, k.Label))
	}
	return strings.Join(names, ", ") + ", [?] help: "
}

// keysHelp is a line about each key.
func keysHelp(keys []review.Key) string {
	var t term.Table
	for _, k := range keys {
		t.Row("    "+string(k.Key), k.Label+": "+k.Help)
	}
	return "\n" + t.Text(false)
}

// valueLines are the values that a decision is about.
func valueLines(w view.Waiting) (lines []string) {
	mine, others := w.Choice()
	if len(others) == 0 {
		return []string{plain(w.Value)}
	}
	facts := []string{""}
	for _, rival := range w.Conflict {
		facts = append(facts, rivalFacts(rival))
	}
	if w.Stated != nil {
		facts = []string{"  (" + inert(w.Stated.Scope) + ")", "  (" + inert(w.Scope) + ")"}
	}
	names := w.Names()
	width := 0
	for _, name := range names {
		width = max(width, len(inert(name)))
	}
	for i, v := range append([]memfile.Value{mine}, others...) {
		lines = append(lines, fmt.Sprintf("%-*s %s%s", width+1, inert(names[i])+":", plain(v), facts[i]))
	}
	return lines
}

// againstText says which older memory a fact contradicts or repeats.
func againstText(a *view.Against) string {
	verb := "contradicts"
	if a.Repeats {
		verb = "repeats"
	}
	return fmt.Sprintf("%s %s %s (%s): %s", verb, inert(a.Tier), inert(a.Key), inert(a.Scope), inert(a.Text))
}
