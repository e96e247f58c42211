package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// mender rewrites the fields that are not what they should be.
type mender struct {
	*editor
	faults map[[2]int]memfile.Problem // the errors that Parse reports of fields, by line and column
	found  []memfile.Problem
}

// Mend rewrites each field that is not what it should be, as recovery wants it: a
// setting that is no boolean as false, a confidence that is none of ours as low, any
// other as what can be read of it. It removes a field of which nothing can be read. It
// rewrites a field that YAML readers do not read alike so that they do. The problems
// are those of the fields that it rewrote, with their places in f; where there are
// none, the file is f.
func Mend(f *memfile.File) (*memfile.File, []memfile.Problem, error) {
	m := &mender{editor: newEditor(f), faults: map[[2]int]memfile.Problem{}}
	_, problems := memfile.Parse(f.Name(), f.Bytes())
	for _, p := range problems {
		if _, ok := m.faults[[2]int{p.Line, p.Column}]; !ok && aboutField(p) {
			m.faults[[2]int{p.Line, p.Column}] = p
		}
	}
	memory := f.Root().Field("saved_memory")
	settings := memfile.SettingFields(m.doc.Settings)
	head := append(memfile.HeadFields(m.doc), memfile.Field{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: settings}})
	if n := memory.Field("settings"); n != nil && n.Kind == yamltext.Map {
		m.mend(memory, head, "items", "deletions", "settings")
		m.mend(n, settings)
	} else {
		m.mend(memory, head, "items", "deletions")
	}
	for i, e := range entriesOf(memory.Field("items")) {
		it := m.doc.Items[i].Tidied()
		if it.Confidence == "" {
			it.Confidence = memfile.Low
		}
		m.mend(e.Value, memfile.ItemFields(it))
	}
	for i, e := range slices.Concat(entriesOf(f.Root().Field("deletions")), entriesOf(memory.Field("deletions"))) {
		m.mend(e.Value, memfile.TombstoneFields(m.doc.Deletions[i].Tidied()))
	}
	m.blankTabs()
	if len(m.splices) == 0 {
		return f, nil, nil
	}
	out, err := m.apply()
	if err != nil {
		return nil, nil, err
	}
	g, problems := memfile.Parse(f.Name(), out)
	if g == nil {
		return nil, nil, memfile.DamageError(problems)
	}
	if now := g.Document(); len(now.Items) != len(m.doc.Items) || len(now.Deletions) != len(m.doc.Deletions) {
		return nil, nil, fmt.Errorf("%w: entries were lost", memfile.ErrUnwritable)
	}
	return g, m.found, nil
}

// aboutField reports whether a problem is an error in one field.
func aboutField(p memfile.Problem) bool {
	return p.Severity == memfile.Error && p.Rule != "duplicate-key" && p.Rule != "forgotten"
}

// entriesOf are the entries of a list that is there.
func entriesOf(n *yamltext.Node) []yamltext.Entry {
	if n == nil || n.Kind != yamltext.List {
		return nil
	}
	return n.Entries
}

// mend rewrites the bad fields of a map: fields are all of its fields as they should
// be. Those named in nested are mended one by one.
func (m *mender) mend(n *yamltext.Node, fields []memfile.Field, nested ...string) {
	gone := map[string]bool{}
	for _, x := range n.Entries {
		if slices.Contains(nested, x.Key.Text) && x.Value.Kind != yamltext.Scalar {
			continue
		}
		fault, bad := m.fault(x.Value)
		switch {
		case bad:
			m.found = append(m.found, fault)
		case !m.disputed(n, x):
			continue
		default:
			m.found = append(m.found, memfile.Problem{Rule: ruleReadersDiffer, Severity: memfile.Warning, File: m.f.Name(), Line: x.Key.Line, Column: x.Key.Column})
		}
		if i := slices.IndexFunc(fields, func(f memfile.Field) bool { return f.Name == x.Key.Text }); i >= 0 {
			m.setValue(n, x, fields[i].Value)
		} else {
			gone[x.Key.Text] = true
		}
	}
	if len(gone) > 0 {
		m.removeFields(n, gone)
	}
}

// fault is the first error that Parse reports at the node or inside it.
func (m *mender) fault(n *yamltext.Node) (p memfile.Problem, ok bool) {
	p, ok = m.faults[[2]int{n.Line, n.Column}]
	for i := 0; i < len(n.Entries) && !ok; i++ {
		p, ok = m.fault(n.Entries[i].Value)
	}
	return p, ok
}

// disputed reports whether readers do not all read the field alike.
func (m *mender) disputed(n *yamltext.Node, x yamltext.Entry) bool {
	return oddMark(m.src, x.Start, max(x.Value.End, x.Key.End), n) >= 0 || agree(m.src, n, x.Key.Text) != nil
}

// oddMark is the place of the first character that is no part of a text and
// that a reader of YAML 1.1 refuses or takes for a line break, or -1.
func oddMark(src yamltext.Source, start, end int, n *yamltext.Node) int {
	for i := start; i < end; {
		j := strings.IndexAny(src.Text[i:end], "\t\u0085\u2028\u2029\ufeff")
		if j < 0 {
			return -1
		}
		i += j
		if src.Text[i] != '\t' || !verbatim(n, i) && !inComment(src, i, n) {
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
func inComment(src yamltext.Source, pos int, n *yamltext.Node) bool {
	start := src.LineStart(pos)
	for i := start; i < pos; i++ {
		if src.Text[i] == '#' && (strings.TrimSpace(src.Text[start:i]) == "" || src.Text[i-1] == ' ') && !n.InScalar(i) {
			return true
		}
	}
	return false
}

// blankTabs empties the lines of the block that hold nothing but white space
// with a tab, which YAML 1.1 refuses outside of texts.
func (m *mender) blankTabs() {
	root, line := m.f.Root(), m.src.Line
	for at := m.src.From; at < m.src.To; at, line = m.src.LineNext(at), line+1 {
		stop := m.src.LineStop(at)
		text := m.src.Text[at:stop]
		if !strings.Contains(text, "\t") || strings.TrimSpace(text) != "" || root.InScalar(at) || root.InScalar(stop-1) {
			continue
		}
		m.found = append(m.found, memfile.Problem{Rule: ruleReadersDiffer, Severity: memfile.Warning, File: m.f.Name(), Line: line, Column: 1})
		m.replace(at, stop, "")
	}
}

// Unambiguous reports whether every YAML reader reads the block as memctl does, and no
// field is of the wrong type. The problems are those of Parse.
func Unambiguous(f *memfile.File, problems []memfile.Problem) bool {
	if slices.ContainsFunc(problems, aboutField) {
		return false
	}
	src := f.Source()
	if oddMark(src, src.From, src.To, f.Root()) >= 0 {
		return false
	}
	_, differ := ReadersDiffer(f)
	return !differ
}
