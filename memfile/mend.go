package memfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/internal/yamltext"
)

// mender writes anew what cannot stand as it is.
type mender struct {
	*editor
	r     *reader
	found []Problem
}

// Mended is the file with each field that is not what it should be written
// anew, as recovery wants it: a setting that is no boolean as false, a
// confidence that is none of ours as low, any other as what can be read of it,
// and without it where nothing can. A field that YAML readers do not read alike
// is written so that they do. The problems say what was written, with their
// places in f. The file is f where there are none.
func (f *File) Mended() (*File, []Problem, error) {
	m := &mender{editor: newEditor(f), r: &reader{file: &File{name: f.name, src: f.src}}}
	m.mendHead()
	for _, e := range entriesOf(f.root.Field("saved_memory").Field("items")) {
		var it Item
		m.mend(e.Value, func(x yamltext.Entry) []Field {
			m.r.readItemField(&it, x)
			if x.Key.Text == "key" {
				it.Key = x.Value.Text
			}
			return itemFields(tidy(it, x.Key.Text))
		})
	}
	for _, parent := range []*yamltext.Node{f.root, f.root.Field("saved_memory")} {
		for _, e := range entriesOf(parent.Field("deletions")) {
			m.mend(e.Value, func(x yamltext.Entry) []Field {
				one := &yamltext.Node{Kind: yamltext.Map, Entries: []yamltext.Entry{x}}
				return tombstoneFields(tidyTombstone(m.r.readTombstone(yamltext.Entry{Value: one})))
			})
		}
	}
	m.blankTabs()
	if len(m.splices) == 0 {
		return f, nil, nil
	}
	out, err := m.apply()
	if err != nil {
		return nil, nil, err
	}
	g, problems := Parse(f.name, out)
	if g == nil {
		return nil, nil, damageError(problems)
	}
	if len(g.doc.Items) != len(f.doc.Items) || len(g.doc.Deletions) != len(f.doc.Deletions) {
		return nil, nil, fmt.Errorf("%w: entries were lost", ErrUnwritable)
	}
	return g, m.found, nil
}

// entriesOf are the entries of a list that is there.
func entriesOf(n *yamltext.Node) []yamltext.Entry {
	if n == nil || n.Kind != yamltext.List {
		return nil
	}
	return n.Entries
}

// mendHead mends what stands beside the items: each setting, and the days and
// numbers of the document.
func (m *mender) mendHead() {
	memory := m.f.root.Field("saved_memory")
	doc := &m.r.file.doc
	m.mend(memory, func(x yamltext.Entry) []Field {
		var list fieldList
		switch x.Key.Text {
		case "version":
			m.r.readVersion(x.Value)
			list.count("version", m.f.doc.Version)
		case "updated":
			list.day("updated", m.r.day(x, ""))
		case "settings":
			if x.Value.Kind != yamltext.Map {
				m.r.readSettings(x.Value)
			}
			list = fieldList{{"settings", Value{Kind: Map, Map: settingFields(m.f.doc.Settings)}}}
		}
		return list
	}, "items", "deletions", "settings")
	settings := memory.Field("settings")
	if settings == nil || settings.Kind != yamltext.Map {
		return
	}
	m.mend(settings, func(x yamltext.Entry) []Field {
		*doc = Document{}
		m.r.readSettings(&yamltext.Node{Kind: yamltext.Map, Entries: []yamltext.Entry{x}})
		return settingFields(m.f.doc.Settings)
	})
}

// mend writes the bad fields of a map anew: read reads one, and gives the
// fields as they should be. Those named in nested are mended one by one.
func (m *mender) mend(n *yamltext.Node, read func(yamltext.Entry) []Field, nested ...string) {
	gone := map[string]bool{}
	for _, x := range n.Entries {
		before := len(m.r.problems)
		fields := read(x)
		bad := slices.IndexFunc(m.r.problems[before:], func(p Problem) bool { return p.Severity == Error })
		switch {
		case bad >= 0:
			m.found = append(m.found, m.r.problems[before+bad])
		case slices.Contains(nested, x.Key.Text) && x.Value.Kind != yamltext.Scalar || !m.disputed(n, x):
			continue
		default:
			m.found = append(m.found, Problem{Rule: RuleReadersDiffer, Severity: Warning, File: m.f.name, Line: x.Key.Line, Column: x.Key.Column})
		}
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == x.Key.Text }); i >= 0 {
			m.setValue(n, x, fields[i].Value)
		} else {
			gone[x.Key.Text] = true
		}
	}
	if len(gone) > 0 {
		m.removeFields(n, gone)
	}
}

// disputed reports whether readers do not all read the field alike.
func (m *mender) disputed(n *yamltext.Node, x yamltext.Entry) bool {
	return m.f.oddMark(x.Start, max(x.Value.End, x.Key.End), n) >= 0 || m.f.agree(n, x.Key.Text) != nil
}

// oddMark is the place of the first character that is no part of a text and
// that a reader of YAML 1.1 refuses or takes for a line break, or -1.
func (f *File) oddMark(start, end int, n *yamltext.Node) int {
	for i := start; i < end; {
		j := strings.IndexAny(f.src[i:end], "\t\u0085\u2028\u2029\ufeff")
		if j < 0 {
			return -1
		}
		i += j
		if f.src[i] != '\t' || !verbatim(n, i) && !f.inComment(i, n) {
			return i
		}
		i++
	}
	return -1
}

// verbatim reports whether a scalar that is quoted or literal holds the place,
// where a tab is a tab.
func verbatim(n *yamltext.Node, pos int) bool {
	if n == nil {
		return false
	}
	if n.Kind == yamltext.Scalar {
		return n.Style > yamltext.Plain && pos >= n.Start && pos < n.End
	}
	for _, e := range n.Entries {
		if verbatim(e.Key, pos) || verbatim(e.Value, pos) {
			return true
		}
	}
	return false
}

// inComment reports whether a comment begins on the line before the place.
func (f *File) inComment(pos int, n *yamltext.Node) bool {
	for i := f.lineStart(pos); i < pos; i++ {
		if f.src[i] == '#' && (strings.TrimSpace(f.src[f.lineStart(pos):i]) == "" || f.src[i-1] == ' ') && !insideScalar(n, i) {
			return true
		}
	}
	return false
}

// blankTabs empties the lines of the block that hold nothing but white space
// with a tab, which YAML 1.1 refuses outside of texts.
func (m *mender) blankTabs() {
	f := m.f
	for at := f.fence.ContentStart; at < f.fence.ContentEnd; at = f.lineNext(at) {
		stop := lineStop(f.src, at)
		text := f.src[at:stop]
		if !strings.Contains(text, "\t") || strings.TrimSpace(text) != "" || insideScalar(f.root, at) || insideScalar(f.root, stop-1) {
			continue
		}
		line, _ := m.r.place(at)
		m.found = append(m.found, Problem{Rule: RuleReadersDiffer, Severity: Warning, File: f.name, Line: line, Column: 1})
		m.replace(at, stop, "")
	}
}

// Clear reports whether nothing in the block keeps a reader of YAML from
// reading it as memctl does, and no field is of the wrong type.
func (f *File) Clear(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == Error && p.Rule != "duplicate-key" && p.Rule != "forgotten" {
			return false
		}
	}
	if f.oddMark(f.fence.ContentStart, f.fence.ContentEnd, f.root) >= 0 {
		return false
	}
	_, differ := f.ReadersDiffer()
	return !differ
}

// Tidied is the item with a confidence and a source of its own (By) that memctl
// knows: what is none of ours counts as low, and as automatic.
func (it Item) Tidied() Item { return tidy(it, "") }

// tidy is Tidied for an item of which only the named field is known.
func tidy(it Item, name string) Item {
	if (it.Confidence != "" || name == "confidence") && confidence.Rank(it.Confidence) == 0 {
		it.Confidence = Low
	}
	it.By, it.Conflict = tidyBy(it.By), tidyRivals(it.Conflict)
	return it
}

func tidyTombstone(t Tombstone) Tombstone {
	t.Conflict = tidyRivals(t.Conflict)
	return t
}

func tidyBy(by string) string {
	if by != "" && by != ByRelayed {
		return ByAutomatic
	}
	return by
}

func tidyRivals(list []Rival) []Rival {
	list = cloneRivals(list)
	for i, r := range list {
		if r.Confidence != "" && confidence.Rank(r.Confidence) == 0 {
			list[i].Confidence = Low
		}
		list[i].By = tidyBy(r.By)
	}
	return list
}
