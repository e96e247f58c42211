package cmd

import (
	"cmp"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/reading/view"
)

// logText is `log` for people: a heading a commit, a line a change.
func logText(changes view.Changes, colour bool) string {
	var parts []string
	for _, act := range changes.Acts() {
		only := ""
		if act.Journal { // no branch has it
			only = ", only in the journal"
		}
		parts = append(parts, term.Warning.Paint(colour, short(act.Commit))+"  "+inert(act.Day()+" "+act.Clock()+"  "+act.Author)+"  ("+inert(act.Scope)+only+")\n"+changesText(act.Changes, "  ", colour))
	}
	return strings.Join(parts, "\n")
}

// changesText prints changes, one a line, with the fields that changed below.
func changesText(changes []view.Change, indent string, colour bool) string {
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(indent + term.IndentRest(changeLine(c, colour), indent+"    ") + "\n")
		for _, f := range c.Fields {
			b.WriteString(indent + "    " + term.Faint.Paint(colour, inert(f.Name)+": "+inert(arrow(f.Before, f.After, f.Name))) + "\n")
		}
	}
	return b.String()
}

// changeLine is one change: a sign, the key, and the value or values. The lines of a longer
// value follow what is said of the change.
func changeLine(c view.Change, colour bool) string {
	style := map[string]term.Style{"+": term.Good, "-": term.Bad, "~": term.Warning}[c.Sign()]
	value, rest, several := strings.Cut(changeValues(c, colour), "\n")
	line := style.Paint(colour, c.Sign()+" "+inert(c.Name())) + value
	if note := c.Note(); note != "" {
		line += "  " + term.Faint.Paint(colour, "("+inert(note)+")")
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
	return ": " + arrow(before, after, "")
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
	parts, arrow := view.WordChanges(before, after), ""
	if len(parts) == 2 && parts[0].Type == diffmatchpatch.DiffDelete && parts[1].Type == diffmatchpatch.DiffInsert {
		arrow = " -> "
	}
	var b strings.Builder
	for _, p := range parts {
		switch p.Type {
		case diffmatchpatch.DiffDelete:
			b.WriteString(term.Bad.Paint(true, p.Text) + arrow)
		case diffmatchpatch.DiffInsert:
			b.WriteString(term.Good.Paint(true, p.Text))
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// arrow shows what became what, of a field if it has a name. Without by, a person stated it.
func arrow(before, after, field string) string {
	none := "(none)"
	if field == "by" {
		none = "a person"
	}
	return cmp.Or(before, none) + " -> " + cmp.Or(after, none)
}

// whyText is `why` for people.
func whyText(r view.WhyResult, colour bool) string {
	var b strings.Builder
	b.WriteString(term.Strong.Paint(colour, inert(cmp.Or(r.Key, "an item"))) + "  (" + inert(r.Scope) + ")\n")
	t := term.Table{Indent: "  "}
	if it := r.Item; it != nil && it.Confidence == "" && it.Hidden() {
		t.AddRow("value", recordText(*it, inertLines)) // all that an agent is told
	} else if it != nil {
		recordRows(&t, *it)
		in := map[bool]string{true: "yes", false: "no"}[r.InProfile]
		if !r.InProfile && r.LeftOut != "" {
			in += ": " + inert(r.LeftOut)
		}
		if r.InFile != "" {
			in += "; " + inert(r.InFile) + ", has it for agents that load this file"
		}
		t.AddRow("in profile", in)
	}
	if r.Entry != nil {
		recordRows(&t, *r.Entry)
	}
	if h := r.Handed; h != nil {
		t.AddRow("handed over", count(h.Count, "time")+", last "+h.Last+" on: "+inert(h.On))
	}
	if d := r.Deleted; d != nil {
		t.AddRow("forgotten", joinFacts([]string{d.Removed, d.Reason}))
		for _, aside := range otherValues(*d) {
			t.AddRow("", aside)
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
	switch {
	case r.Source == memfile.SourceByHand:
		by = "somebody, in the file"
	case r.By == memfile.ByRelayed && strings.HasPrefix(r.Source, memfile.ImportedFrom):
		by = "an import that nobody confirmed"
	}
	text, tier := "text", r.Tier
	if tier == view.Item {
		text, tier = "value", ""
	}
	t.AddRow(text, recordText(r, inertLines))
	for _, f := range [][2]string{
		{"tier", tier}, {"category", r.Category}, {"confidence", r.Confidence}, {"tags", joinFacts(r.Tags)}, {"topics", joinFacts(r.Topics)}, {"created", r.Created},
		{"added", r.Added}, {"updated", r.Updated}, {"expires", r.Expires}, {"source", r.Source}, {"set by", by}, {"path", r.Path},
	} {
		if f[1] != "" {
			t.AddRow(f[0], inert(f[1]))
		}
	}
	for _, rival := range r.Conflict {
		t.AddRow("or", plainLines(rival.Value)+rivalFacts(rival))
	}
}
