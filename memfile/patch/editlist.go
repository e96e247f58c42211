package patch

import (
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// addition is a new entry for a list: behind the entry with that index, or
// before it; with neither, at the end.
type addition struct {
	behind, before int // -1: not so
	fields         []memfile.Field
}

func (a addition) value() memfile.Value { return memfile.Value{Kind: memfile.Map, Map: a.fields} }

// editList takes entries that are not kept out of the list that is a field of
// parent, and puts the additions in. Changes inside kept entries are the
// caller's.
func (e *editor) editList(parent *yamltext.Node, order []string, name string, keep []bool, add []addition) {
	kept := 0
	for _, k := range keep {
		if k {
			kept++
		}
	}
	if kept == len(keep) && len(add) == 0 {
		return
	}
	var field yamltext.Entry
	for _, x := range parent.Entries {
		if x.Key.Text == name {
			field = x
		}
	}
	whole := memfile.Value{Kind: memfile.List}
	for _, a := range add {
		whole.List = append(whole.List, a.value())
	}
	switch {
	case field.Key == nil:
		e.addField(parent, order, nil, memfile.Field{Name: name, Value: whole})
	case len(keep) == 0 || field.Value.Style == yamltext.Flow && kept == 0:
		e.setValue(parent, field, whole)
	case field.Value.Style == yamltext.Flow:
		e.removeFlow(field.Value, keep)
		e.addFlow(field.Value, keep, add)
	default:
		e.editBlockList(field, keep, add)
		if kept == 0 && len(add) == 0 {
			e.insert(e.colon(field), " []")
		}
	}
}

func (e *editor) addFlow(n *yamltext.Node, keep []bool, add []addition) {
	for _, a := range add {
		if a.before < 0 {
			e.insert(n.Entries[e.behind(a, keep)].Value.End, ", "+a.value().YAML())
		}
	}
	for _, a := range add {
		switch {
		case a.before > 0 && keep[a.before-1]:
			e.insert(n.Entries[a.before-1].Value.End, ", "+a.value().YAML())
		case a.before >= 0:
			e.insert(n.Entries[a.before].Start, a.value().YAML()+", ")
		}
	}
}

// editBlockList works on the lines of a block list.
func (e *editor) editBlockList(field yamltext.Entry, keep []bool, add []addition) {
	entries := field.Value.Entries
	leads, ends := make([]int, len(entries)), make([]int, len(entries))
	floor := e.src.LineNext(e.colon(field))
	spaced := len(entries) > 1
	for i, x := range entries {
		leads[i], ends[i] = e.entryLead(x, floor), e.src.EntryEnd(x)
		spaced = spaced && (i == 0 || e.blankLine(ends[i-1]))
		floor = ends[i]
	}
	first := entries[0]
	indent, offset := e.src.Column(first.Start), first.Value.Start-first.Start
	if e.src.LineStart(first.Start) != e.src.LineStart(first.Value.Start) || offset < 2 || offset > 8 {
		offset = 2
	}
	gap := ""
	if spaced {
		gap = e.eol
	}
	// Those behind an entry first: the end of one entry may be where the next begins.
	for _, a := range add {
		if a.before < 0 {
			e.insertLines(ends[e.behind(a, keep)], indent, gap+e.entryText(indent, offset, a))
		}
	}
	for _, a := range add {
		if a.before >= 0 {
			e.insertLines(leads[a.before], indent, e.entryText(indent, offset, a)+gap)
		}
	}
	for i := range entries {
		if !keep[i] {
			if i == 0 && spaced && keep[1] {
				ends[i] = e.src.LineNext(ends[i]) // the blank line below
			}
			e.removeEntry(leads[i], ends[i], i > 0)
		}
	}
}

func (e *editor) entryText(indent, offset int, a addition) string {
	l := e.newLines()
	l.Entry(indent, offset, a.value())
	return l.String()
}

// behind is the entry that an addition follows: the last one that stays, or
// just the last, where it names none.
func (e *editor) behind(a addition, keep []bool) int {
	if a.behind >= 0 {
		return a.behind
	}
	for i := len(keep) - 1; i >= 0; i-- {
		if keep[i] {
			return i
		}
	}
	return len(keep) - 1
}

// removeEntry takes out an entry's lines. Between blank lines, or at the end
// behind one, it takes the one before along, as adding it brought one.
func (e *editor) removeEntry(start, end int, hasBefore bool) {
	if hasBefore {
		above := e.src.LineStart(start - 1)
		last := end >= e.src.To || strings.IndexByte(" \t-#\r\n", e.src.Text[end]) < 0
		if e.blankLine(above) && (e.blankLine(end) || last) {
			start = above
		}
	}
	e.replace(start, end, "")
}
