package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/view"
)

func newFacts(a *app) *cobra.Command {
	req := view.FactsRequest{}
	c := &cobra.Command{
		Use:   "facts [CATEGORY]",
		Short: "List the facts, the highest standing first",
		Long: `Facts lists what was remembered with memctl remember: the beginning of its id, its
standing, its scope, its category and its text. A standing is (1+ln(1+uses)) and
halves with every 30 days without use; it orders, and deletes nothing.`,
		Example: `  memctl facts
  memctl facts gotcha
  memctl facts --tag http --json`,
		Args: takes(0, 1),
		RunE: a.run(needStores, func(s *session, args []string) error {
			if len(args) == 1 {
				req.Category = args[0]
			}
			return runFacts(s, req)
		}),
		ValidArgsFunction: cobra.FixedCompletions(entry.Categories(), cobra.ShellCompDirectiveNoFileComp),
	}
	bindScope(c, &req.Scope)
	c.Flags().StringVarP(&req.Tag, "tag", "t", "", "only facts with this `TAG`")
	c.Flags().StringVar(&req.Conversation, "conversation", "", "only facts of the conversation of this `NAME`")
	return c
}

func runFacts(s *session, req view.FactsRequest) error {
	if err := checkScope(req.Scope); err != nil {
		return err
	}
	result, err := view.Facts(s.ctx, s.stores, req)
	if err = errors.Join(err, s.hideFromAgent(result.ForAgent)); err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	if len(result.Facts) == 0 {
		s.noFacts(req)
	}
	return s.printEntries(result.Facts, func(v view.EntryView) string {
		return fmt.Sprintf("%.2f  %s", v.Standing, v.Scope)
	})
}

// noFacts says why no fact is listed.
func (s *session) noFacts(req view.FactsRequest) {
	var of []string
	for _, f := range []struct{ what, word string }{{"scope", req.Scope}, {"category", req.Category}, {"tag", req.Tag}, {"conversation", req.Conversation}} {
		if f.word != "" {
			of = append(of, f.what+" "+inert(redact(f.word)))
		}
	}
	if len(of) == 0 {
		s.talk("note: there are no facts yet")
		s.hint(`memctl remember "[gotcha] the tests need Docker running"`)
		return
	}
	s.talk("note: no fact is of " + strings.Join(of, " and "))
	s.hint("memctl facts")
}

// printEntries prints a line for each entry: id, what column says, category, text.
func (s *session) printEntries(list []view.EntryView, column func(v view.EntryView) string) error {
	var t term.Table
	for _, v := range list {
		t.Cells(
			term.Cell{Text: short(inert(v.ID)), Style: term.Faint}, term.Cell{Text: column(v)}, term.Cell{Text: inert(kindOf(v))},
			term.Cell{Text: entryText(v)},
		)
	}
	var b strings.Builder
	_ = t.Write(&b, s.streams.OutColour)
	return s.print(b.String())
}

func kindOf(v view.EntryView) string {
	if v.Category != "" {
		return v.Category
	}
	return v.Tier
}

// entryText is an entry's text as one line, with what there is to know of it.
func entryText(v view.EntryView) string {
	text := inert(v.Text)
	if len(v.Withheld) > 0 {
		text = strings.TrimSpace(text + " [withheld: " + strings.Join(v.Withheld, ", ") + "]")
	}
	var facts []string
	if v.Confidence != "" && v.Confidence != "high" {
		facts = append(facts, v.Confidence)
	}
	for _, mark := range []struct {
		word string
		on   bool
	}{{"pinned", v.Pinned}, {"locked", v.Locked}, {"stale", v.Stale}} {
		if mark.on {
			facts = append(facts, mark.word)
		}
	}
	if v.By != "" {
		facts = append(facts, v.By)
	}
	if v.Signals > 1 {
		facts = append(facts, count(v.Signals, "signal"))
	}
	if v.Uses > 0 {
		facts = append(facts, count(v.Uses, "use"))
	}
	if v.Expires != "" {
		facts = append(facts, "expires "+v.Expires)
	}
	for _, a := range v.Anchors {
		facts = append(facts, strings.TrimSpace("at "+a.Path+" "+a.State))
	}
	if len(v.Tags) > 0 {
		facts = append(facts, "tags "+strings.Join(v.Tags, " "))
	}
	if len(v.Topics) > 0 {
		facts = append(facts, "topics "+strings.Join(v.Topics, " "))
	}
	if len(facts) > 0 {
		return text + "  (" + joinFacts(facts) + ")"
	}
	return text
}

func newNotes(a *app) *cobra.Command {
	scope := ""
	c := &cobra.Command{
		Use:   "notes [today|yesterday|week|DAY]",
		Short: "Read the journal: the notes of a day or of a week",
		Long:  `Notes lists what was written with memctl note on a day, or in the week that ends today.`,
		Example: `  memctl notes
  memctl notes yesterday
  memctl notes 2026-11-21 --scope project`,
		Args: takes(0, 1),
		RunE: a.run(needStores, func(s *session, args []string) error {
			return runNotes(s, scope, strings.Join(args, ""))
		}),
		ValidArgsFunction: cobra.FixedCompletions([]string{"today", "yesterday", "week"}, cobra.ShellCompDirectiveNoFileComp),
	}
	bindScope(c, &scope)
	return c
}

func runNotes(s *session, scope, when string) error {
	if err := checkScope(scope); err != nil {
		return err
	}
	result, err := view.Notes(s.ctx, s.stores, scope, when)
	if err = errors.Join(err, s.hideFromAgent(result.ForAgent)); err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	s.otherNotes(result)
	return s.print(notesText(result, s.streams.OutColour))
}

// otherNotes says that there are no notes of the days, or that compact has put them
// elsewhere.
func (s *session) otherNotes(r view.NotesResult) {
	days := "on " + r.From
	if r.From != r.To {
		days = "from " + r.From + " to " + r.To
	}
	switch {
	case len(r.Folded) > 0:
		s.talk("note: notes " + days + " stand in the summary of their month")
		for _, name := range r.Folded {
			s.hint("memctl summary --conversation " + shell.Quote(name))
		}
	case len(r.Notes) == 0:
		s.talk("note: no notes " + days)
		s.hint(`memctl note "what was done, tried or decided"`)
	}
}

// notesText is the journal: a heading a day, and each note with its time.
func notesText(r view.NotesResult, colour bool) string {
	var b strings.Builder
	day := ""
	for _, v := range r.Notes {
		stamp, _ := entry.ParseTime(v.Created)
		if d := stamp.Format("2006-01-02"); d != day {
			if day != "" {
				b.WriteByte('\n')
			}
			day = d
			b.WriteString(term.Strong.Paint(colour, day) + "\n")
		}
		lines := strings.Split(v.Text, "\n")
		v.Text = lines[0]
		b.WriteString("  " + stamp.Format("15:04") + "  " + term.Faint.Paint(colour, short(inert(v.ID))) + "  " + entryText(v) + "\n")
		for _, line := range lines[1:] {
			b.WriteString("                   " + inert(line) + "\n")
		}
	}
	return b.String()
}
