package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/reading/view"
)

// keyColumn is the widest key that the other lines are lined up with.
const keyColumn = 40

// showText is `show` for people: a heading a scope, a line an item.
func showText(r view.ShowResult, colour bool) string {
	var parts []string
	for _, scope := range r.Scopes {
		if len(scope.Items) > 0 || len(scope.Deletions) > 0 || scope.Salvaged {
			parts = append(parts, scopeText(scope, colour))
		}
	}
	return strings.Join(parts, "\n")
}

func scopeText(scope view.ScopeView, colour bool) string {
	var b strings.Builder
	b.WriteString(term.Strong.Paint(colour, scope.Scope) + "  " + inert(scope.Path))
	if !scope.Enabled {
		b.WriteString("  " + term.Warning.Paint(colour, "(disabled)"))
	}
	if scope.Salvaged {
		b.WriteString("  " + term.Bad.Paint(colour, "(damaged: these are the readable items; "+scope.Mend+" repairs it)"))
	}
	b.WriteByte('\n')
	items := term.Table{Indent: "  ", MaxWidth: keyColumn}
	for _, it := range scope.Items {
		style := term.Style("")
		if it.Hidden() {
			style = term.Warning
		}
		items.AddCells(term.Cell{Text: inert(cmp.Or(it.Key, "(an item)")), Style: term.Strong}, term.Cell{Text: recordText(it, inertLines) + recordFacts(it), Style: style})
		for i, rival := range it.Conflict {
			items.AddRow("", fmt.Sprintf("value %d: %s%s", i+1, plainLines(rival.Value), rivalFacts(rival)))
		}
	}
	b.WriteString(items.Text(colour))
	if len(scope.Deletions) > 0 {
		b.WriteString("  " + term.Faint.Paint(colour, "forgotten") + "\n")
		gone := term.Table{Indent: "    ", MaxWidth: keyColumn}
		for _, d := range scope.Deletions {
			gone.AddCells(term.Cell{Text: cmp.Or(inert(d.Key), d.Mark(), "(a value)"), Style: term.Faint}, term.Cell{Text: inert(d.Removed)}, term.Cell{Text: inert(d.Reason)})
			for _, aside := range otherValues(d) {
				gone.AddRow("", "", aside)
			}
		}
		b.WriteString(gone.Text(colour))
	}
	return b.String()
}

// printEntries prints a line for each entry: id, what column says, category, text.
func (s *session) printEntries(list []view.Record, column func(view.Record) string) error {
	return s.print(s.entriesText(list, column, inert))
}

// entriesText is a table of entries; shown is how it prints a text.
func (s *session) entriesText(list []view.Record, column func(view.Record) string, shown func(text string) string) string {
	var t term.Table
	for _, r := range list {
		t.AddCells(
			term.Cell{Text: short(inert(r.ID)), Style: term.Faint}, term.Cell{Text: column(r)}, term.Cell{Text: inert(cmp.Or(r.Category, r.Tier))},
			term.Cell{Text: markedText(r, shown) + recordFacts(r)},
		)
	}
	return t.Text(s.streams.OutColour)
}

// markedText is recordText with the mark of an unconfirmed record.
func markedText(r view.Record, shown func(text string) string) string {
	return strings.TrimSpace(recordText(r, shown) + " " + r.Status)
}

// recordText is a record's value or text as shown prints it, and why agents do not get it. Where the policy takes
// it for a secret, the record does not have it.
func recordText(r view.Record, shown func(text string) string) string {
	text := r.Text
	if r.Value != nil && (r.Value.Kind != memfile.Null || !r.Hidden()) {
		text = plainLines(*r.Value)
	}
	if text = shown(text); !r.Hidden() {
		return text
	}
	if r.Correction() {
		return text + " [beside the value that you stated]"
	}
	return strings.TrimSpace(text + " " + r.Mark())
}

// recordFacts is what stands behind a text, in brackets: confidence, day, marks and tags.
func recordFacts(r view.Record) string {
	var facts []string
	if item := r.Tier == view.Item; item {
		facts = append(facts, r.Confidence, r.Day())
	} else if r.Confidence != memfile.High {
		facts = append(facts, r.Confidence)
	}
	return bracketed(append(facts, r.Facts()...)...)
}

func rivalFacts(r memfile.Rival) string { return bracketed(r.Confidence, r.Added, r.Source) }

// bracketed lists what is not empty after a text.
func bracketed(facts ...string) string {
	if text := joinFacts(facts); text != "" {
		return "  (" + text + ")"
	}
	return ""
}

// joinFacts lists what is not empty, as one plain line.
func joinFacts(facts []string) string {
	var said []string
	for _, fact := range facts {
		if fact != "" {
			said = append(said, inert(fact))
		}
	}
	return strings.Join(said, ", ")
}

// otherValues says which values a merge kept with the tombstone, and the way back.
func otherValues(d view.TombstoneView) []string {
	var list []string
	for _, r := range d.Conflict {
		list = append(list, "set aside: "+plain(r.Value)+rivalFacts(r)+"; memctl restore "+inert(d.Key))
	}
	return list
}
