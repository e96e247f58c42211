package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// cell is an entry of a list: one of the file, or a new one.
type cell struct {
	old     int                 // its index in the file, -1 for a new one
	fields  []memfile.Field     // as it should be; nil for one that goes
	changed bool                // it is printed anew, or goes
	drop    bool                // its allowances go
	allow   []memfile.Allowance // that it lacks
}

// matched finds for each entry of the file the wanted one, nil if it is to be removed; fresh are
// the wanted ones that the file does not have.
func matched[T any](old, want []T, what string, place func(T) [2]int) (list []*T, fresh []T, err error) {
	list = make([]*T, len(old))
	index := make(map[[2]int]int, len(old))
	for i, x := range old {
		index[place(x)] = i
	}
	for i, x := range want {
		at := place(x)
		if at[0] == 0 {
			fresh = append(fresh, x)
			continue
		}
		j, ok := index[at]
		if !ok || list[j] != nil {
			return nil, nil, fmt.Errorf("%w: line %d does not have exactly one %s", memfile.ErrUnwritable, at[0], what)
		}
		list[j] = &want[i]
	}
	return list, fresh, nil
}

// itemCells returns the list of items, and those that will be in it, in the order of the list.
func itemCells(old, want []memfile.Item) (cells []cell, order []memfile.Item, err error) {
	list, fresh, err := matched(old, want, "item", func(it memfile.Item) [2]int { return [2]int{it.Line, it.Column} })
	if err != nil {
		return nil, nil, err
	}
	for i, it := range list {
		c := cell{old: i, changed: true}
		if it != nil {
			c.fields, c.allow = memfile.ItemFields(*it), lacking(old[i], *it)
			c.drop = len(old[i].Allow) > 0 && !memfile.SameWritten(old[i].Value, it.Value)
			c.changed = len(c.allow) > 0 || !memfile.SameItem(old[i], *it)
		}
		cells = append(cells, c)
	}
	slices.SortStableFunc(fresh, func(a, b memfile.Item) int { return strings.Compare(a.Key, b.Key) })
	for i, it := range fresh {
		at := insertPosition(list, it.Key)
		list = slices.Insert(list, at, &fresh[i])
		cells = slices.Insert(cells, at, cell{old: -1, changed: true, fields: memfile.ItemFields(it), allow: lacking(memfile.Item{}, it)})
	}
	for _, it := range list {
		if it != nil {
			order = append(order, *it)
		}
	}
	return cells, order, nil
}

// insertPosition finds a new item's place: behind the item with the greatest key that is not above its own,
// else before the item with the smallest key. In a list that is in order this keeps the order; in
// any other the item gets a neighbour.
func insertPosition(list []*memfile.Item, key string) int {
	behind, least := -1, -1
	for i, it := range list {
		switch {
		case it == nil:
		case it.Key <= key && (behind < 0 || it.Key >= list[behind].Key):
			behind = i
		case it.Key > key && (least < 0 || it.Key < list[least].Key):
			least = i
		}
	}
	switch {
	case behind >= 0:
		return behind + 1
	case least >= 0:
		return least
	}
	return len(list)
}

// tombstoneCells returns the list of deletions: those of the file, then the new ones.
func tombstoneCells(old, want []memfile.Tombstone) (cells []cell, err error) {
	list, fresh, err := matched(old, want, "deletion", func(t memfile.Tombstone) [2]int { return [2]int{t.Line, t.Column} })
	for i, t := range list {
		c := cell{old: i, changed: t == nil || !memfile.SameTombstone(old[i], *t)}
		if t != nil {
			c.fields = memfile.TombstoneFields(*t)
		}
		cells = append(cells, c)
	}
	for _, t := range fresh {
		cells = append(cells, cell{old: -1, changed: true, fields: memfile.TombstoneFields(t)})
	}
	return cells, err
}

// list changes the list that is a field of parent. Entries that do not change keep their
// bytes, unless the list is in brackets: then all of it is printed anew.
func (e *editor) list(parent *yamltext.Node, order []string, name string, cells []cell) {
	i := slices.IndexFunc(parent.Entries, func(x yamltext.Entry) bool { return x.Key.Text == name })
	n := 0
	for j := range cells {
		if cells[j].old >= 0 {
			cells[j].old = n // in this list
			n++
		}
	}
	switch {
	case !slices.ContainsFunc(cells, func(c cell) bool { return c.changed }):
		return
	case n > 0 && parent.Entries[i].Value.Style == yamltext.Block:
		e.blockList(parent.Entries[i], cells)
		return
	}
	column := e.src.Column(parent.Start)
	text := ""
	for _, c := range cells {
		if c.fields != nil {
			text += e.entryText(dash(column+2, 2), column+4, nil, c)
		}
	}
	if text == "" {
		text = " []" + e.eol
	} else {
		text = e.eol + text
	}
	text = strings.Repeat(" ", column) + name + ":" + text
	if i >= 0 {
		e.setField(parent.Entries[i], text)
	} else {
		e.addField(parent, order, name, text)
	}
}

// dash begins an entry whose fields are set in behind its dash by an offset.
func dash(indent, offset int) string {
	return strings.Repeat(" ", indent) + "-" + strings.Repeat(" ", offset-1)
}

// changedEntry prints an entry of the file anew.
func (e *editor) changedEntry(x yamltext.Entry, c cell) string {
	start, column := e.src.LineStart(x.Start), e.src.Column(x.Start)
	if x.Value.Style == yamltext.Flow {
		return e.entryText(dash(column, 2), column+2, &x, c)
	}
	return e.entryText(e.src.Text[start:x.Value.Start], e.src.Column(x.Value.Start), &x, c)
}

// entryText prints an entry of a list: what is before its first field, then the fields at a column.
// Of one of the file, x, it keeps the comments.
func (e *editor) entryText(lead string, column int, x *yamltext.Entry, c cell) string {
	beside := make([][]comment, len(c.fields))
	var below []comment
	if x != nil {
		for _, found := range e.comments(x.Value, x.Value.Start, e.src.EntryEnd(*x)) {
			if c.drop && strings.HasPrefix(strings.TrimLeft(found.text, "# \t"), memfile.AllowMark) {
				continue
			}
			name := e.fieldOf(x.Value, &found)
			if at := slices.IndexFunc(c.fields, func(f memfile.Field) bool { return f.Name == name }); at >= 0 {
				found.above = found.above && at > 0
				beside[at] = append(beside[at], found)
			} else {
				below = append(below, comment{text: found.text, own: true})
			}
		}
	}
	for _, a := range c.allow {
		text := "# " + memfile.AllowMark + " " + a.Rule + " " + a.Digest + " " + a.Why
		below = append(below, comment{text: strings.TrimRight(text, " "), own: true})
	}
	text := ""
	for i, f := range c.fields {
		if i > 0 {
			lead = strings.Repeat(" ", column)
		}
		l := memfile.BlockWriter{EOL: e.eol}
		l.Field(lead, column, f)
		lines := l.String()
		if was := written(x, f); was != nil && !c.drop {
			stop := e.src.NextLineStart(e.end(*was))
			lines = lead + e.src.Text[was.Start:stop]
			beside[i] = slices.DeleteFunc(beside[i], func(c comment) bool { return c.at < stop && !c.above })
		}
		text += e.withComments(lead, lines[len(lead):], column, beside[i])
	}
	return e.withComments("", text, column, below)
}

// written returns the entry's field whose lines in the file say f already, or nil.
func written(x *yamltext.Entry, f memfile.Field) *yamltext.Entry {
	if x == nil || x.Value.Style == yamltext.Flow {
		return nil
	}
	i := slices.IndexFunc(x.Value.Entries, func(o yamltext.Entry) bool {
		return o.Key.Text == f.Name && memfile.SameWritten(memfile.ValueOf(o.Value), f.Value)
	})
	if i < 0 {
		return nil
	}
	return &x.Value.Entries[i]
}

// fieldOf is the name of the field of an entry that a comment belongs to: the one that it is beside
// or in, or directly above; "" below the last one, and in braces.
func (e *editor) fieldOf(m *yamltext.Node, c *comment) string {
	if m.Style == yamltext.Flow {
		return ""
	}
	for _, x := range m.Entries {
		if c.at < e.src.NextLineStart(e.end(x)) {
			c.above = c.own && c.at < x.Start
			return x.Key.Text
		}
	}
	return ""
}

// layout is where the entries of a list of lines are: each with the comments directly above it.
type layout struct {
	leads, ends    []int
	floor          int // the line after the name of the list
	indent, offset int // of its dashes, and of the text after them
	gap            string
}

func (e *editor) layoutOf(field yamltext.Entry) layout {
	entries := field.Value.Entries
	first := entries[0]
	l := layout{floor: e.src.NextLineStart(e.colon(field)), indent: e.src.Column(first.Start), offset: first.Value.Start - first.Start}
	if strings.Contains(e.src.Text[first.Start:first.Value.Start], "\n") || l.offset < 2 || l.offset > 8 {
		l.offset = 2
	}
	from, spaced := l.floor, len(entries) > 1
	for i, x := range entries {
		spaced = spaced && (i == 0 || e.blankLine(from))
		l.leads, l.ends = append(l.leads, e.entryLead(x, from)), append(l.ends, e.src.EntryEnd(x))
		from = l.ends[i]
	}
	if spaced {
		l.gap = e.eol
	}
	return l
}

// blockList writes a list of lines. What is between its entries stays.
func (e *editor) blockList(field yamltext.Entry, cells []cell) {
	l := e.layoutOf(field)
	var out strings.Builder
	out.WriteString(e.src.Text[l.floor:l.leads[0]])
	some, after := false, l.floor // an entry is written; where the last one of the file ended
	for i, c := range cells {
		switch {
		case c.old > 0:
			out.WriteString(e.linesBetween(after, l.leads[c.old], l.ends[c.old], c.fields == nil))
		case c.old < 0 && some:
			out.WriteString(l.gap)
		}
		if c.old >= 0 {
			after = l.ends[c.old]
		}
		switch {
		case c.old < 0:
			out.WriteString(e.entryText(dash(l.indent, l.offset), l.indent+l.offset, nil, c))
			if next := i + 1; !some && next < len(cells) && cells[next].old == 0 && cells[next].fields != nil {
				out.WriteString(l.gap)
			}
		case c.fields == nil:
			if c.old == 0 && l.gap != "" && !some {
				after = e.src.NextLineStart(after) // the blank line below
			}
			continue
		case c.changed:
			x := field.Value.Entries[c.old]
			out.WriteString(e.src.Text[l.leads[c.old]:e.src.LineStart(x.Start)] + e.changedEntry(x, c))
		default:
			out.WriteString(e.src.Text[l.leads[c.old]:after])
		}
		some = true
	}
	e.replace(l.floor, l.ends[len(l.ends)-1], out.String())
	if !some {
		e.replace(e.colon(field), e.colon(field), " []")
	}
}

// linesBetween are the lines from the end of one entry to the next. If that one goes, and a blank line
// or the list's end follows it, the blank line above goes as well: adding an entry brought one.
func (e *editor) linesBetween(from, to, end int, goes bool) string {
	if above := e.src.LineStart(max(to-1, 0)); goes && from < to && e.blankLine(above) {
		if last := end >= e.src.To || strings.IndexByte(" \t-#\r\n", e.src.Text[end]) < 0; last || e.blankLine(end) {
			to = above
		}
	}
	return e.src.Text[min(from, to):to]
}

// blankLine reports whether the line that begins at start is blank, and in the block.
func (e *editor) blankLine(start int) bool {
	return start < e.src.To && strings.TrimSpace(e.src.Text[start:e.src.NextLineStart(start)]) == ""
}

// entryLead is where what belongs to an entry begins: with the comments directly above it, down
// to the end of the entry before.
func (e *editor) entryLead(x yamltext.Entry, floor int) int {
	start := e.src.LineStart(x.Start)
	for start > floor {
		above := e.src.LineStart(start - 1)
		if _, ok := e.src.CommentAt(above); !ok || above < floor {
			break
		}
		start = above
	}
	return start
}
