package patch

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// editFields changes the map so that its fields go from before to after; a
// field that is the same in both is not touched, whatever its bytes are. New
// fields go behind those that stand before them in order, which is nil for that of after.
func (e *editor) editFields(m *yamltext.Node, order []string, before, after []memfile.Field) {
	find := func(list []memfile.Field, name string) int {
		return slices.IndexFunc(list, func(f memfile.Field) bool { return f.Name == name })
	}
	gone := map[string]bool{}
	for _, b := range before {
		if find(after, b.Name) < 0 {
			gone[b.Name] = true
		}
	}
	var fresh []memfile.Field
	given := order != nil
	for _, a := range after {
		if !given {
			order = append(order, a.Name)
		}
		if i := find(before, a.Name); i >= 0 && memfile.SameWritten(before[i].Value, a.Value) {
			continue
		}
		i := slices.IndexFunc(m.Entries, func(x yamltext.Entry) bool { return x.Key.Text == a.Name })
		if i >= 0 {
			e.setValue(m, m.Entries[i], a.Value)
		} else {
			fresh = append(fresh, a)
		}
	}
	// After all values: a value's lines come before the next field's.
	for _, a := range fresh {
		e.addField(m, order, gone, a)
	}
	if len(gone) > 0 {
		e.removeFields(m, gone)
	}
}

// setValue replaces the value of a field that stands in the map.
func (e *editor) setValue(m *yamltext.Node, x yamltext.Entry, v memfile.Value) {
	if m.Style == yamltext.Flow {
		text := v.YAML()
		switch {
		case x.Value.Style == yamltext.Empty && x.Value.Start == x.Key.End:
			text = ": " + text // there is no colon yet
		case e.src.Text[x.Value.Start-1] == ':':
			text = " " + text
		}
		e.replace(x.Value.Start, x.Value.End, text)
		return
	}
	colon := e.colon(x)
	text, inline := v.InlineYAML()
	if inline {
		e.setInline(colon, x.Value, text)
		return
	}
	l := e.newLines()
	column := e.src.Column(x.Start) + 2
	l.Nested(column, v)
	below := e.src.LineNext(max(colon, x.Value.End))
	switch {
	case x.Value.Style == yamltext.Empty:
	case x.Value.Style == yamltext.Block || e.src.LineStart(x.Value.Start) != e.src.LineStart(x.Start):
		below = e.removeLines(x.Value)
	default:
		e.replace(colon, x.Value.End, "")
	}
	e.insertLines(below, column, l.String())
}

// setInline puts text on the key's line, or where the old scalar stands.
func (e *editor) setInline(colon int, old *yamltext.Node, text string) {
	spaced := ""
	if text != "" {
		spaced = " " + text
	}
	switch {
	case old.Style == yamltext.Empty:
		e.insert(colon, spaced)
	case old.Style == yamltext.Block:
		e.insert(colon, spaced)
		e.removeLines(old)
	case text == "":
		e.replace(colon, old.End, "")
	default:
		e.replace(old.Start, old.End, text)
	}
}

// removeLines takes away the lines of a value that begins on a line of its own;
// a comment behind its end stays. It returns where the line after them begins.
func (e *editor) removeLines(n *yamltext.Node) int {
	stop, next := e.src.LineStop(n.End), e.src.LineNext(n.End)
	if strings.TrimSpace(e.src.Text[n.End:stop]) == "" {
		e.replace(e.src.LineStart(n.Start), next, "")
	} else {
		e.replace(n.Start, n.End, "")
	}
	return next
}

// addField writes a new field into the map, behind the last field that stays
// and comes before it in order; where none does, behind the first that stays.
func (e *editor) addField(m *yamltext.Node, order []string, gone map[string]bool, a memfile.Field) {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	anchor := -1
	for i, x := range m.Entries {
		if !gone[x.Key.Text] && (anchor < 0 || place(x.Key.Text) <= place(a.Name)) {
			anchor = i
		}
	}
	if m.Style == yamltext.Flow {
		if anchor < 0 {
			e.insert(m.Start+1, e.comma(m)+a.YAML())
			return
		}
		e.insert(m.Entries[anchor].Value.End, ", "+a.YAML())
		return
	}
	x := m.Entries[max(anchor, 0)]
	l := e.newLines()
	column := e.src.Column(m.Start)
	l.Field("", column, a)
	at := e.src.LineNext(max(e.colon(x), x.Value.End))
	e.insertLines(e.src.AfterComments(at, column), column, l.String())
}

// comma is what stands between a new first field of a flow map and the one that
// was inserted there before.
func (e *editor) comma(m *yamltext.Node) string {
	if slices.ContainsFunc(e.splices, func(s splice) bool { return s.start == m.Start+1 && s.end == s.start }) {
		return ", "
	}
	return ""
}

// removeFields takes the named fields out of the map; one at least stays.
func (e *editor) removeFields(m *yamltext.Node, gone map[string]bool) {
	keep := make([]bool, len(m.Entries))
	for i, x := range m.Entries {
		keep[i] = !gone[x.Key.Text]
	}
	if m.Style == yamltext.Flow {
		e.removeFlow(m, keep)
		return
	}
	for i, x := range m.Entries {
		switch {
		case keep[i]:
		case i == 0 && strings.TrimSpace(e.src.Text[e.src.LineStart(x.Start):x.Start]) != "":
			// The first field shares its line with the dash of its item: the
			// next field that stays moves up to the dash.
			if j := slices.Index(keep, true); j > 0 {
				e.replace(x.Start, m.Entries[j].Start, "")
			}
		default:
			e.replace(e.src.LineStart(x.Start), e.src.LineNext(max(e.colon(x), x.Value.End)), "")
		}
	}
}

// removeFlow takes entries out of a flow list or map, each with one comma.
func (e *editor) removeFlow(n *yamltext.Node, keep []bool) {
	last := -1 // the last entry that stays, up to here
	for i := 0; i < len(keep); i++ {
		if keep[i] {
			last = i
			continue
		}
		end := i
		for end < len(keep) && !keep[end] {
			end++
		}
		switch {
		case last >= 0:
			e.replace(n.Entries[last].Value.End, n.Entries[end-1].Value.End, "")
		case end < len(keep):
			e.replace(n.Entries[i].Start, n.Entries[end].Start, "")
		default:
			e.replace(n.Start+1, n.End-1, "")
		}
		i = end - 1
	}
}
