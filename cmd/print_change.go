package cmd

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store/txn"
)

// logText is `log` for people: a heading a commit, a line a change.
func logText(changes []view.Change, colour bool) string {
	var b strings.Builder
	for from := 0; from < len(changes); {
		to := from + 1
		for to < len(changes) && changes[to].Commit == changes[from].Commit && changes[to].Scope == changes[from].Scope {
			to++
		}
		c, only := changes[from], ""
		if from > 0 {
			b.WriteByte('\n')
		}
		if c.Journal { // no branch has it
			only = ", only in the journal"
		}
		b.WriteString(term.Warning.Paint(colour, short(c.Commit)) + "  " + minute(c.Date) + "  " + author(changes[from:to]) + "  (" + inert(c.Scope) + only + ")\n")
		b.WriteString(changesText(changes[from:to], "  ", colour))
		from = to
	}
	return b.String()
}

// author is who made the changes of one commit. Of what is withheld an agent is not told.
func author(changes []view.Change) string {
	hidden := false
	for _, c := range changes {
		if c.Author != "" {
			return inert(c.Author)
		}
		hidden = hidden || c.Hidden() || c.Act == "forgotten"
	}
	if hidden {
		return "author withheld"
	}
	return "author unknown"
}

// changesText prints changes, one a line, with the fields that changed below.
func changesText(changes []view.Change, indent string, colour bool) string {
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(indent + term.IndentRest(changeLine(c, colour), indent+"    ") + "\n")
		for _, f := range c.Fields {
			b.WriteString(indent + "    " + term.Faint.Paint(colour, inert(f.Name)+": "+inert(arrow(f.Before, f.After))) + "\n")
		}
	}
	return b.String()
}

// changeLine is one change: a sign, the key, and the value or values. The lines of a longer
// value follow what is said of the change.
func changeLine(c view.Change, colour bool) string {
	sign, style := "~", term.Warning
	switch {
	case c.Kind == memfile.DeltaTombstone: // an item's, and the item did not change
	case c.Change == "added":
		sign, style = "+", term.Good
	case c.Change == "removed":
		sign, style = "-", term.Bad
	}
	value, rest, several := strings.Cut(changeValues(c, colour), "\n")
	name, act := cmp.Or(c.Key, "a fact or note"), c.Act
	if c.Key == "" && c.Kind == memfile.DeltaItem {
		name = "an item"
	}
	if slices.Contains([]string{"added", "changed", "removed"}, act) {
		act = "" // the sign says it
	}
	line := style.Paint(colour, sign+" "+inert(name)) + value
	if note := joinFacts([]string{act, c.Source}); note != "" {
		line += "  " + term.Faint.Paint(colour, "("+note+")")
	}
	if several {
		line += "\n" + rest
	}
	return line
}

func changeValues(c view.Change, colour bool) string {
	switch {
	case c.Hidden():
		return ": " + inert(c.Mark())
	case c.Before == nil && c.After == nil:
		return ""
	case c.Before == nil:
		return ": " + plainLines(*c.After)
	case c.After == nil:
		return ": " + plainLines(*c.Before)
	case memfile.Equal(*c.Before, *c.After):
		return ": " + plainLines(*c.After)
	}
	before, after := plainLines(*c.Before), plainLines(*c.After)
	if strings.Contains(before+after, "\n") {
		return ":" + linesChanged(before, after, colour)
	}
	if colour && before != "" && after != "" {
		return ": " + withinText(before, after)
	}
	return ": " + arrow(before, after)
}

// linesChanged shows the lines that differ, and those around them, as a diff does.
func linesChanged(before, after string, colour bool) string {
	_, body, _ := strings.Cut(txn.UnifiedDiff("value", []byte(before+"\n"), []byte(after+"\n")), "\n@@")
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		if i > 0 && !strings.HasPrefix(line, "@@") {
			b.WriteString("\n" + diffStyle(line).Paint(colour, strings.TrimRight(line, " ")))
		}
	}
	return b.String()
}

// withinText shows on a terminal what changed within a text: what went, then what came, in its place.
func withinText(before, after string) string {
	parts, arrow := merge.TextDiff(before, after), ""
	if len(parts) == 2 && parts[0].Gone && parts[1].New {
		arrow = " -> "
	}
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Gone:
			b.WriteString(term.Bad.Paint(true, p.Text) + arrow)
		case p.New:
			b.WriteString(term.Good.Paint(true, p.Text))
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// arrow shows what became what.
func arrow(before, after string) string {
	return cmp.Or(before, "(none)") + " -> " + cmp.Or(after, "(none)")
}

// minute is the day and the time of a moment in UTC, as in "2026-11-21 09:00".
func minute(moment string) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		day, _, _ := strings.Cut(moment, "T")
		return inert(day)
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// whyText is `why` for people.
func whyText(r view.WhyResult, colour bool) string {
	var b strings.Builder
	b.WriteString(term.Strong.Paint(colour, inert(cmp.Or(r.Key, "an item"))) + "  (" + inert(r.Scope) + ")\n")
	t := term.Table{Indent: "  "}
	if it := r.Item; it != nil && it.Confidence == "" && it.Hidden() {
		t.Row("value", recordText(*it, inertLines)) // all that an agent is told
	} else if it != nil {
		recordRows(&t, *it)
		in := map[bool]string{true: "yes", false: "no"}[r.InProfile]
		if !r.InProfile && r.LeftOut != "" {
			in += ": " + inert(r.LeftOut)
		}
		if r.InFile != "" {
			in += ", but not for agents that load this file: in " + inert(r.InFile)
		}
		t.Row("in profile", in)
	}
	if r.Entry != nil {
		recordRows(&t, *r.Entry)
	}
	if h := r.Handed; h != nil {
		t.Row("handed over", count(h.Count, "time")+", last "+h.Last+" on: "+inert(h.On))
	}
	if d := r.Deleted; d != nil {
		t.Row("forgotten", joinFacts([]string{d.Removed, d.Reason}))
		for _, aside := range otherValues(*d) {
			t.Row("", aside)
		}
	}
	b.WriteString(t.Text(colour))
	if len(r.Changes) > 0 {
		b.WriteString("\n" + logText(r.Changes, colour))
	}
	if r.Note != "" {
		b.WriteString("\n" + inert(r.Note) + "\n")
	}
	return b.String()
}

// recordRows are the fields that a record has.
func recordRows(t *term.Table, r view.Record) {
	setBy := map[string]string{"": "a person", memfile.ByRelayed: "an agent, for a person", memfile.ByAutomatic: "an agent or a hook"}
	by := cmp.Or(setBy[r.By], r.By)
	if r.Source == memfile.SourceByHand {
		by = "somebody, in the file"
	}
	text, tier := "text", r.Tier
	if tier == view.Item {
		text, tier = "value", ""
	}
	t.Row(text, recordText(r, inertLines))
	for _, f := range [][2]string{
		{"tier", tier}, {"category", r.Category}, {"confidence", r.Confidence}, {"tags", joinFacts(r.Tags)}, {"topics", joinFacts(r.Topics)}, {"created", r.Created},
		{"added", r.Added}, {"updated", r.Updated}, {"expires", r.Expires}, {"source", r.Source}, {"set by", by}, {"path", r.Path},
	} {
		if f[1] != "" {
			t.Row(f[0], inert(f[1]))
		}
	}
	for _, rival := range r.Conflict {
		t.Row("or", plainLines(rival.Value)+rivalFacts(rival))
	}
}
