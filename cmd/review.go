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
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/view"
)

// reviewFlags are the flags of memctl review. The others decide about what NAME names.
type reviewFlags struct {
	list, keep, drop, session, replace bool
	take                               int
	edit                               string
}

func newReview(a *app) *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{
		Use:   "review [NAME]",
		Short: "Decide what waits for you",
		Long: `Review lists what agents stored since you last looked, and what waits for your decision:
  writes in the queue
  items and facts of low confidence
  conflicts
  values that another scope overrides
  things that you told an agent to remember, but that it did not store

"memctl review NAME" decides about one memory. NAME is the key of an item, such as
build.tool, or the beginning of an id. Without NAME and at a terminal, review asks about one
memory after the other. Each question lists the letters that answer it:
  k keep    e edit    d drop    s skip    q quit    ? explain
  r keep it, and remove the similar item
  m keep the current one of two values, t take the other
  a keep all proposals of the same agent session
Without a terminal, review prints the list, with the command for each decision.`,
		Example: `  memctl review
  memctl review --list
  memctl review build.tool --keep`,
		Args: argumentCount(0, 1),
		RunE: a.runner(needStores, func(s *session, args []string) error { return runReview(s, f, args) }),
	}
	bindWrite(c)
	flags := c.Flags()
	flags.BoolVarP(&f.list, "list", "l", false, "print the list, and ask nothing")
	flags.BoolVar(&f.keep, "keep", false, "keep it, as if you had stated it; of values in conflict, keep the first")
	flags.IntVar(&f.take, "take", 0, "take the value with the number `N`")
	flags.StringVar(&f.edit, view.ActEdit, "", "store `TEXT` instead")
	flags.BoolVar(&f.drop, view.ActDrop, false, "drop it")
	flags.BoolVar(&f.replace, view.ActReplace, false, "keep it, and let it replace the similar item")
	flags.BoolVar(&f.session, view.ActKeepSession, false, "keep all proposals of the same agent session")
	c.MarkFlagsMutuallyExclusive("list", "keep", "take", view.ActEdit, view.ActDrop, view.ActReplace, view.ActKeepSession)
	return c
}

func runReview(s *session, f reviewFlags, args []string) error {
	act := ""
	for name, set := range map[string]bool{view.ActKeep: f.keep || f.take > 0, view.ActEdit: f.edit != "", view.ActDrop: f.drop, view.ActReplace: f.replace, view.ActKeepSession: f.session} {
		if set {
			act = name
		}
	}
	if len(args) == 0 && act != "" {
		return usage("", "too few arguments: name a memory of the list", "memctl review --list")
	}
	result, err := view.Review(s.ctx, s.stores, s.Reader(), s.Scope)
	if err == nil && act != "" {
		return s.decideNamed(result.Waiting, args[0], act, f)
	}
	if err == nil && len(args) > 0 {
		w, err := review.Named(result.Waiting, args[0])
		if err != nil {
			return s.finishOne(s.Answer("review", args[0], s.Scope).Refused(err))
		}
		result.Waiting = []view.Waiting{w}
	}
	return present(s, result, err, func(result view.ReviewResult) error {
		if s.Explicit() && !s.stores.DryRun() && len(args) == 0 {
			if err := localstate.SeeNews(s.stores); err != nil {
				return err
			}
		}
		switch {
		case len(result.Waiting) == 0:
			s.note("queue-empty", "nothing waits for review")
			return nil
		case f.list || !s.streams.Interactive():
			return s.print(waitingText(result.Waiting, !s.streams.Interactive(), s.streams.OutColour))
		}
		return s.decideEach(result)
	})
}

// decideNamed decides without a question.
func (s *session) decideNamed(list []view.Waiting, name, act string, f reviewFlags) error {
	w, err := review.Named(list, name)
	switch {
	case err != nil:
		return s.finishOne(s.Answer("review", name, s.Scope).Refused(err))
	case act == view.ActKeepSession && w.Session != "":
		return s.finish(review.Several(s.ctx, s.stores, review.Decision{Options: s.Options, Action: view.ActKeep}, review.OfSession(list, w)))
	}
	d := review.Decision{Options: s.Options, Waiting: w, Action: act, Choice: f.take}
	if act == view.ActEdit {
		value, err := review.EditedValue(w, f.edit)
		if err != nil {
			return err
		}
		d.Value = &value
	}
	return s.finishOne(review.Decide(s.ctx, s.stores, d))
}

// decideEach asks about everything that waits, one after the other.
func (s *session) decideEach(result view.ReviewResult) error {
	d := dialogue{session: s}
	for i, w := range result.Waiting {
		if w.Session != "" && w.Session == d.all || w.SaidIn(d.kept) {
			continue // it is saved already
		}
		d.rest = result.Waiting[i:]
		if err := d.item(w, i+1, len(result.Waiting)); err != nil {
			if errors.Is(err, errQuit) {
				return d.outcome()
			}
			return err
		}
	}
	return d.outcome()
}

// waitingText is the list of what waits, with the command that decides each if there is nobody to ask.
func waitingText(waiting []view.Waiting, commands, colour bool) string {
	t := term.Table{MaxWidth: keyColumn}
	for _, w := range waiting {
		first := []term.Cell{{Text: inert(cmp.Or(w.Key, w.ID, "(an item)")), Style: term.Strong}, {Text: inert(w.Scope)}, {Text: waitingWhy(w), Style: term.Warning}}
		for _, line := range detailLines(w) {
			t.AddCells(append(first, term.Cell{Text: line})...)
			first = make([]term.Cell, len(first))
		}
		if w.New != "" {
			t.AddRow("", "", "", "new from "+inert(w.New))
		}
		if commands && len(w.Choices) > 0 {
			t.AddRow("", "", "", inert(w.Command()))
		}
	}
	return t.Text(colour)
}

// detailLines prints each detail of a waiting record on a line.
func detailLines(w view.Waiting) (lines []string) {
	for _, d := range w.Details() {
		lines = append(lines, strings.TrimPrefix(d.Name+": "+d.Text, ": "))
	}
	return lines
}

func waitingWhy(w view.Waiting) string {
	why := inert(w.Why)
	if rules := w.OtherRules(); len(rules) > 0 {
		why += " (" + inert(strings.Join(rules, ", ")) + ")"
	}
	return why
}

// errQuit ends a review early; nothing is wrong.
var errQuit = errors.New("quit")

// dialogue is one review on a terminal. Questions go to stderr, like all talk.
type dialogue struct {
	*session
	refused bool
	all     string // the session all of whose proposals are saved
	kept    []view.Waiting
	rest    []view.Waiting // the one that is asked about, and what comes after it
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
	for _, line := range detailLines(w) {
		fmt.Fprintf(err, "      %s\n", line)
	}
	if facts := joinFacts(w.Facts()); facts != "" {
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
	options := d.Options
	options.Command = rand.Text()
	return d.answerError(d.finish(review.Several(d.ctx, d.stores, review.Decision{Options: options, Action: view.ActKeep}, review.OfSession(d.rest, w))))
}

// edit opens the person's editor on the value, or on the whole sentence of a proposal, and stores the edited text.
func (d *dialogue) edit(w view.Waiting) error {
	ext := "md"
	if w.Value.Kind != memfile.String {
		ext = "yaml"
	}
	return d.answerError(d.editText(cmp.Or(w.Key, w.ID), w.Proposed(), ext, nil, func(text string) (memory.Write, error) {
		if strings.TrimSpace(text) == "" {
			return memory.Write{}, refusal(memory.RuleValue, named(w.Key, "the text is empty, so nothing is changed"))
		}
		value, err := review.EditedValue(w, text)
		if err != nil {
			return memory.Write{}, err
		}
		return review.Decide(d.ctx, d.stores, review.Decision{Options: d.Options, Waiting: w, Action: view.ActEdit, Value: &value})
	}))
}

func (d *dialogue) decide(decision review.Decision) error {
	if decision.Action == view.ActKeep {
		d.kept = append(d.kept, decision.Waiting)
	}
	decision.Command = rand.Text() // undo reverts one decision, not the whole review
	return d.answerError(d.finishOne(review.Decide(d.ctx, d.stores, decision)))
}

// answerError is the error of an answer. A refusal does not end the review.
func (d *dialogue) answerError(err error) error {
	refused := fault.FindAnswer(err)
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
		t.AddRow("    "+c.Key, c.Label+": "+c.Help)
	}
	return "\n" + t.Text(false)
}
