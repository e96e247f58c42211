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
	"github.com/memctl/memctl/memory"
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
  k keep    e edit    d drop    s skip    q quit    ? explain
  m keep my value, t take the other one      (between two values)
  a keep everything of that session          (proposals)
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
	result, err := view.Review(s.ctx, s.stores, s.Reader(), s.Scope)
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
			term.Cell{Text: waitingWhy(w), Style: term.Warning}, term.Cell{Text: optionText(w.Options[0])})
		for _, o := range w.Options[1:] {
			t.Row("", "", "", "or "+optionText(o))
		}
		if w.Said != "" {
			t.Row("", "", "", saidText(w))
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
	for _, o := range w.Options {
		fmt.Fprintf(err, "      %s\n", optionText(o))
	}
	if w.Said != "" && w.Said != plain(w.Value) {
		fmt.Fprintf(err, "      %s\n", saidText(w))
	}
	if facts := joinFacts([]string{w.Source, w.Day}); facts != "" {
		fmt.Fprintf(err, "      %s\n", term.Faint.Paint(colour, facts))
	}
	choice, readErr := d.askChoice(append(slices.Clone(w.Choices),
		view.Choice{Key: "s", Label: "skip", Help: "decide nothing: the next review shows it again", Act: actSkip},
		view.Choice{Key: "q", Label: "quit", Help: "end the review and keep your decisions", Act: actQuit}))
	if readErr != nil {
		return readErr
	}
	switch choice.Act {
	case actSkip:
		return nil
	case actQuit:
		return errQuit
	case view.ActEdit:
		return d.edit(w)
	case view.ActKeepSession:
		return d.saveSession(w)
	}
	return d.decide(review.Decision{Options: d.Options, Waiting: w, Action: choice.Act, Choice: choice.Value})
}

// The answers of a dialogue that decide nothing.
const (
	actSkip = "skip"
	actQuit = "quit"
)

// saveSession saves what waits from one session.
func (d *dialogue) saveSession(w view.Waiting) error {
	d.all = w.Session
	for _, one := range append([]view.Waiting{w}, d.rest...) {
		if one.Session != w.Session {
			continue
		}
		if err := d.decide(review.Decision{Options: d.Options, Waiting: one, Action: view.ActKeep}); err != nil {
			return err
		}
	}
	return nil
}

// edit opens the person's editor on the value, or on the whole sentence of a proposal, and stores the edited text.
func (d *dialogue) edit(w view.Waiting) error {
	ext := "md"
	if w.Value.Kind != memfile.String {
		ext = "yaml"
	}
	return d.done(d.editText(cmp.Or(w.Key, w.ID), w.Proposed(), ext, nil, func(text string) (memory.Write, error) {
		if strings.TrimSpace(text) == "" {
			return memory.Write{}, refusal(memory.RuleValue, named(w.Key, "the text is empty, so nothing is changed"))
		}
		value := memfile.Str(text)
		if w.Value.Kind != memfile.String {
			var err error
			if value, err = edit.ParseYAML(w.Key, text); err != nil {
				return memory.Write{}, err
			}
		}
		return review.Decide(d.ctx, d.stores, review.Decision{Options: d.Options, Waiting: w, Action: view.ActEdit, Value: &value})
	}))
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

// askChoice asks for one of the choices, until it gets one. Errors: errQuit at the end of the input and on Ctrl-C.
func (s *session) askChoice(choices []view.Choice) (view.Choice, error) {
	for {
		fmt.Fprint(s.streams.Err, choicesQuestion(choices))
		key, err := s.streams.ReadKey(s.ctx)
		if s.streams.InTerminal && err == nil && key >= ' ' {
			fmt.Fprintf(s.streams.Err, "%c\n", key)
		}
		switch {
		case errors.Is(err, term.ErrInterrupted), errors.Is(err, io.EOF):
			fmt.Fprintln(s.streams.Err)
			return view.Choice{}, errQuit
		case err != nil:
			return view.Choice{}, err
		case key == '?':
			fmt.Fprint(s.streams.Err, choicesHelp(choices))
			continue
		}
		if i := slices.IndexFunc(choices, func(c view.Choice) bool { return c.Key == string(unicode.ToLower(key)) }); i >= 0 {
			return choices[i], nil
		}
	}
}

// choicesQuestion lists the keys with their labels.
func choicesQuestion(choices []view.Choice) string {
	var names []string
	for _, c := range choices {
		names = append(names, fmt.Sprintf("[%s] %s", c.Key, c.Label))
	}
	return strings.Join(names, ", ") + ", [?] help: "
}

// choicesHelp is a line about each key.
func choicesHelp(choices []view.Choice) string {
	var t term.Table
	for _, c := range choices {
		t.Row("    "+c.Key, c.Label+": "+c.Help)
	}
	return "\n" + t.Text(false)
}

// optionText is one of the values that a decision is about.
func optionText(o view.Option) string {
	if o.Name == "" {
		return plain(o.Value)
	}
	return inert(o.Name) + ": " + plain(o.Value) + bracketed(o.From)
}
