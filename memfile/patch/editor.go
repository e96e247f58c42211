package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// editor gathers changes of a file. Offsets are those of the original.
type editor struct {
	f       *memfile.File
	doc     memfile.Document // of f, which an editor of another file has not
	src     yamltext.Source
	eol     string
	splices []splice
}

// splice replaces bytes of the original; an insertion has start == end.
type splice struct {
	start, end int
	text       string
	column     int // how far inserted lines are set in
}

func newEditor(f *memfile.File) *editor {
	e := &editor{f: f, doc: f.Document(), src: f.Source(), eol: "\n"}
	if strings.HasSuffix(e.src.Text[:e.src.From], "\r\n") {
		e.eol = "\r\n"
	}
	return e
}

func (e *editor) replace(start, end int, text string) {
	e.splices = append(e.splices, splice{start: start, end: end, text: text})
}

// apply returns the changed text. Of lines that are inserted at one place, those that are set in
// deeper come first, because they belong to what is above.
func (e *editor) apply() ([]byte, error) {
	slices.SortStableFunc(e.splices, func(a, b splice) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if c := min(a.end-a.start, 1) - min(b.end-b.start, 1); c != 0 {
			return c
		}
		return b.column - a.column
	})
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.start < at {
			return nil, fmt.Errorf("%w: two changes at one place", memfile.ErrUnwritable)
		}
		b.WriteString(e.src.Text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(e.src.Text[at:])
	return []byte(b.String()), nil
}

// Lines is a field of a map of lines as it is written: whole lines, set in as far as the map is.
type Lines struct{ Name, Text string }

// Map changes a map of lines so that its fields go from before to after, and returns the whole text.
// A field that is the same in both stays as it is, and so do fields in neither, comments and the order.
// A new field goes behind the last that comes before it in order. Errors: memfile.ErrUnwritable.
func Map(src yamltext.Source, eol string, m *yamltext.Node, order []string, before, after []Lines) (string, error) {
	e := &editor{src: src, eol: eol}
	e.mapLines(m, order, before, after)
	out, err := e.apply()
	return string(out), err
}

// fields is mapLines for fields of a memory file.
func (e *editor) fields(m *yamltext.Node, order []string, before, after []memfile.Field) {
	lines := func(fields []memfile.Field) (list []Lines) {
		for _, f := range fields {
			l := memfile.BlockWriter{EOL: e.eol}
			l.Field("", e.src.Column(m.Start), f)
			list = append(list, Lines{f.Name, l.String()})
		}
		return list
	}
	e.mapLines(m, order, lines(before), lines(after))
}

func (e *editor) mapLines(m *yamltext.Node, order []string, before, after []Lines) {
	named := func(list []Lines, name string) int {
		return slices.IndexFunc(list, func(f Lines) bool { return f.Name == name })
	}
	there := map[string]bool{}
	for _, x := range m.Entries {
		there[x.Key.Text] = true
		was, is := named(before, x.Key.Text), named(after, x.Key.Text)
		switch {
		case is >= 0 && (was < 0 || before[was] != after[is]):
			e.setField(x, after[is].Text)
		case is < 0 && was >= 0:
			e.replace(e.src.LineStart(x.Start), e.src.NextLineStart(e.end(x)), "")
		}
	}
	for _, a := range after {
		if was := named(before, a.Name); !there[a.Name] && (was < 0 || before[was] != a) {
			e.addField(m, order, a.Name, a.Text)
		}
	}
}

// setField gives a field other lines, with the comments on the old ones.
func (e *editor) setField(x yamltext.Entry, text string) {
	column, end := e.src.Column(x.Start), e.src.NextLineStart(e.end(x))
	text = e.withComments("", text, column, e.comments(x.Value, x.Key.End, end))
	e.replace(x.Start, end, strings.TrimPrefix(text, strings.Repeat(" ", column)))
}

// addField writes a new field into the map, behind the last field that comes before it in order,
// or behind the first.
func (e *editor) addField(m *yamltext.Node, order []string, name, text string) {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	column, at := e.src.Column(m.Start), m.Start
	for i, x := range m.Entries {
		if i == 0 || place(x.Key.Text) <= place(name) {
			at = e.src.CommentsEnd(e.src.NextLineStart(e.end(x)), column)
		}
	}
	e.splices = append(e.splices, splice{at, at, text, column})
}

// comment is a comment of the file.
type comment struct {
	at    int
	text  string
	own   bool // it has a line of its own
	above bool // the field below it is the one that it belongs to
}

// comments are those of a range with a node in it.
func (e *editor) comments(n *yamltext.Node, from, to int) (list []comment) {
	for at := from; at < to; at++ {
		if e.src.Text[at] != '#' || strings.IndexByte(" \t\n", e.src.Text[at-1]) < 0 || n.IsInScalar(at) {
			continue
		}
		stop := e.src.LineEnd(at)
		list = append(list, comment{at: at, text: e.src.Text[at:stop], own: strings.TrimSpace(e.src.Text[e.src.LineStart(at):at]) == ""})
		at = stop
	}
	return list
}

// withComments puts comments on the first of the lines, above or below them; lead is before the first.
func (e *editor) withComments(lead, lines string, column int, comments []comment) string {
	above, beside := "", ""
	for _, c := range comments {
		line := strings.Repeat(" ", column) + c.text + e.eol
		switch {
		case c.above:
			above += line
		case !c.own && beside == "":
			beside = " " + c.text
		default:
			lines += line
		}
	}
	return above + lead + strings.Replace(lines, e.eol, beside+e.eol, 1)
}

// end is where a field ends: with its value, or its colon.
func (e *editor) end(x yamltext.Entry) int { return max(e.colon(x), x.Value.End) }

// colon is the offset after the colon of a field's key.
func (e *editor) colon(x yamltext.Entry) int {
	return x.Key.End + strings.IndexByte(e.src.Text[x.Key.End:], ':') + 1
}
