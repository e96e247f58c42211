package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/view"
)

func runFacts(s *session, req view.FactsRequest) error {
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
	for _, f := range []struct{ what, word string }{{"scope", req.Scope}, {"category", req.Category}, {"tag", req.Tag}} {
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
	s.hint("memctl list --tier fact")
}

// printEntries prints a line for each entry: id, what column says, category, text.
func (s *session) printEntries(list []view.EntryView, column func(v view.EntryView) string) error {
	return s.printLong(s.entriesText(list, column, inert))
}

// entriesText is a table of entries; shown is how it prints a text.
func (s *session) entriesText(list []view.EntryView, column func(v view.EntryView) string, shown func(text string) string) string {
	var t term.Table
	for _, v := range list {
		t.Cells(
			term.Cell{Text: short(inert(v.ID)), Style: term.Faint}, term.Cell{Text: column(v)}, term.Cell{Text: inert(kindOf(v))},
			term.Cell{Text: entryText(v, shown)},
		)
	}
	var b strings.Builder
	_ = t.Write(&b, s.streams.OutColour)
	return b.String()
}

func kindOf(v view.EntryView) string {
	if v.Category != "" {
		return v.Category
	}
	return v.Tier
}

// entryText is an entry's text as shown prints it, followed by its other fields.
func entryText(v view.EntryView, shown func(text string) string) string {
	text := shown(v.Text)
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
