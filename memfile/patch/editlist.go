package patch

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// addition is a new entry for a list: behind the entry with that index, or
// before it; with neither, at the end.
type addition struct {
	behind, before int // -1: not so
	fields         []memfile.Field
	allow          []memfile.Allowance
}

// slot is an entry of the file, and what becomes of it.
type slot struct {
	was, now []memfile.Field     // now is nil for one that goes
	drop     bool                // its allowances go
	allow    []memfile.Allowance // that it lacks
}

func (s slot) same() bool {
	return len(s.allow) == 0 && memfile.SameFields(s.was, s.now, memfile.SameWritten)
}

// entryText prints an entry of a list, with the comments given below it.
func (e *editor) entryText(indent, offset int, fields []memfile.Field, comments []string) string {
	l := e.newLines()
	l.Entry(indent, offset, memfile.Value{Kind: memfile.Map, Map: fields})
	text := l.String()
	for _, c := range comments {
		text += strings.Repeat(" ", indent+offset) + c + e.eol
	}
	return text
}

// editList changes the list that is a field of parent. Entries that do not change keep their
// bytes, unless the list stands in brackets: then all of it is printed anew.
func (e *editor) editList(parent *yamltext.Node, order []string, name string, slots []slot, add []addition) {
	if len(add) == 0 && !slices.ContainsFunc(slots, func(s slot) bool { return !s.same() }) {
		return
	}
	i := slices.IndexFunc(parent.Entries, func(x yamltext.Entry) bool { return x.Key.Text == name })
	if len(slots) > 0 && parent.Entries[i].Value.Style == yamltext.Block {
		e.editBlockList(parent.Entries[i], slots, add)
		return
	}
	kept := make([]*addition, len(slots))
	for i, s := range slots {
		if s.now != nil {
			kept[i] = &addition{fields: s.now, allow: s.allow}
		}
	}
	column := e.src.Column(parent.Start)
	text := strings.Repeat(" ", column) + name + ":" + e.eol
	list := arrange(kept, add, add)
	for _, a := range list {
		text += e.entryText(column+2, 2, a.fields, allowLines(a.allow))
	}
	if len(list) == 0 {
		text = e.fieldText(column, memfile.Field{Name: name, Value: memfile.Value{Kind: memfile.List}})
	}
	if i >= 0 {
		e.setField(parent.Entries[i], text)
		return
	}
	e.addField(parent, order, slices.Repeat([]bool{true}, len(parent.Entries)), name, text)
}

// editEntry changes an entry of a list of lines. One in braces is printed anew.
func (e *editor) editEntry(x yamltext.Entry, s slot) {
	e.dropAllow = s.drop
	defer func() { e.dropAllow = false }()
	column := e.src.Column(x.Start)
	if x.Value.Style == yamltext.Flow {
		comments := append(e.comments(x.Value, x.Start, e.src.EntryEnd(x)), allowLines(s.allow)...)
		e.replace(e.src.LineStart(x.Start), e.src.EntryEnd(x), e.entryText(column, 2, s.now, comments))
		return
	}
	e.editFields(x.Value, nil, s.was, s.now)
	for _, c := range allowLines(s.allow) {
		e.insertLines(e.src.EntryEnd(x), column+2, strings.Repeat(" ", column+2)+c+e.eol)
	}
	if !s.drop {
		return
	}
	for _, spot := range e.f.AllowSpots(x) {
		start := e.src.LineStart(spot.Start)
		if text := strings.TrimRight(e.src.Text[start:spot.Start], " \t"); text != "" {
			e.replace(start+len(text), spot.End, "")
		} else {
			e.replace(start, e.src.LineNext(spot.End), "")
		}
	}
}

// editBlockList works on the lines of a block list.
func (e *editor) editBlockList(field yamltext.Entry, slots []slot, add []addition) {
	keep := make([]bool, len(slots))
	for i, s := range slots {
		if keep[i] = s.now != nil; keep[i] && !s.same() {
			e.editEntry(field.Value.Entries[i], s)
		}
	}
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
	text := func(a addition) string { return e.entryText(indent, offset, a.fields, allowLines(a.allow)) }
	// Those behind an entry first: the end of one entry may be where the next begins.
	for _, a := range add {
		if a.before < 0 {
			e.insertLines(ends[e.behind(a, keep)], indent, gap+text(a))
		}
	}
	for _, a := range add {
		if a.before >= 0 {
			e.insertLines(leads[a.before], indent, text(a)+gap)
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
	if !slices.Contains(keep, true) && len(add) == 0 {
		e.insert(e.colon(field), " []")
	}
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
