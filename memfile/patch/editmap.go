package patch

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

func fieldAt(list []memfile.Field, name string) int {
	return slices.IndexFunc(list, func(f memfile.Field) bool { return f.Name == name })
}

// editFields changes a map of lines so that its fields go from before to after; a
// field that is the same in both is not touched, whatever its bytes are. New
// fields go behind those that stand before them in order, which is nil for that of after.
func (e *editor) editFields(m *yamltext.Node, order []string, before, after []memfile.Field) {
	if order == nil {
		for _, a := range after {
			order = append(order, a.Name)
		}
	}
	differs := func(a memfile.Field) bool {
		i := fieldAt(before, a.Name)
		return i < 0 || !memfile.SameWritten(before[i].Value, a.Value)
	}
	column := e.src.Column(m.Start)
	keep, there := make([]bool, len(m.Entries)), map[string]bool{}
	for i, x := range m.Entries {
		is := fieldAt(after, x.Key.Text)
		keep[i], there[x.Key.Text] = is >= 0 || fieldAt(before, x.Key.Text) < 0, true
		if is >= 0 && differs(after[is]) {
			e.setField(x, e.fieldText(column, after[is]))
		}
	}
	for _, a := range after { // after all values: a value's lines come before the next field's
		if !there[a.Name] && differs(a) {
			e.addField(m, order, keep, a.Name, e.fieldText(column, a))
		}
	}
	first := 0
	if j := slices.Index(keep, true); j > 0 && strings.TrimSpace(e.src.Text[e.src.LineStart(m.Start):m.Start]) != "" {
		// The first field shares its line with the dash of its item: the next field that stays
		// moves up to the dash.
		e.replace(m.Start, m.Entries[j].Start, "")
		first = j
	}
	for i, x := range m.Entries[first:] {
		if !keep[first+i] {
			e.replace(e.src.LineStart(x.Start), e.src.LineNext(e.end(x)), "")
		}
	}
}

// end is where a field ends: with its value, or its colon.
func (e *editor) end(x yamltext.Entry) int { return max(e.colon(x), x.Value.End) }

func (e *editor) fieldText(column int, f memfile.Field) string {
	l := e.newLines()
	l.Field("", column, f)
	return l.String()
}

// setField gives a field other lines. The comments on the old ones stay.
func (e *editor) setField(x yamltext.Entry, text string) {
	margin := strings.Repeat(" ", e.src.Column(x.Start))
	comments := e.comments(x.Value, x.Key.End, e.src.LineNext(e.end(x)))
	if len(comments) > 0 {
		text = strings.Replace(text, e.eol, " "+comments[0]+e.eol, 1)
		for _, c := range comments[1:] {
			text += margin + c + e.eol
		}
	}
	e.replace(x.Start, e.src.LineNext(e.end(x)), strings.TrimPrefix(text, margin))
}

// comments are those of a range with a node in it.
func (e *editor) comments(n *yamltext.Node, from, to int) (list []string) {
	for at := from; at < to; at++ {
		if e.src.Text[at] != '#' || strings.IndexByte(" \t\n", e.src.Text[at-1]) < 0 || n.InScalar(at) {
			continue
		}
		stop := e.src.LineStop(at)
		if c := e.src.Text[at:stop]; !e.dropAllow || !strings.HasPrefix(strings.TrimLeft(c, "# \t"), memfile.AllowMark) {
			list = append(list, c)
		}
		at = stop
	}
	return list
}

// addField writes a new field into the map, behind the last field that stays
// and comes before it in order; where none does, behind the first that stays.
func (e *editor) addField(m *yamltext.Node, order []string, keep []bool, name, text string) {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	anchor := -1
	for i, x := range m.Entries {
		if keep[i] && (anchor < 0 || place(x.Key.Text) <= place(name)) {
			anchor = i
		}
	}
	column := e.src.Column(m.Start)
	e.insertLines(e.src.AfterComments(e.src.LineNext(e.end(m.Entries[max(anchor, 0)])), column), column, text)
}
