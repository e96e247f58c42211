package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

// ErrUnwritable says that an entry cannot be written so that it reads back as
// it is: nothing is returned with it.
var ErrUnwritable = errors.New("the entry would not read back the same")

// New prints an entry that has no file yet. Errors: ErrUnwritable.
func New(e Entry) ([]byte, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for _, k := range fields() {
		if s := k.written(&e); s != "" {
			b.WriteString(k.name + ": " + s + "\n")
		}
	}
	for _, x := range e.Extra {
		b.WriteString(strings.ReplaceAll(x.raw, "\r\n", "\n") + "\n")
	}
	b.WriteString("---\n\n" + e.Text + "\n")
	out := b.String()
	if err := check("", out, e); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// Rewrite returns the file's bytes changed so that it says want. Fields that do
// not differ stay byte for byte, as do comments, unknown fields, order, quoting
// and line endings; so does a body that does not differ. want.Extra is not
// looked at: unknown fields stay. Equal entries give equal bytes; with any
// change, the fields that other readers need are written where they are
// missing. Errors: ErrUnwritable.
func (f *File) Rewrite(want Entry) ([]byte, error) {
	known := fields()
	differs := want.Text != f.entry.Text || !holds(want)
	for _, k := range known {
		differs = differs || k.written(&f.entry) != k.written(&want)
	}
	if !differs {
		return f.Bytes(), nil
	}
	e := &editor{f: f}
	for i, k := range known {
		was, now := "", k.written(&want)
		entry := f.field(k.name)
		if entry != nil {
			was = k.written(&f.entry)
		}
		switch {
		case was == now:
		case entry == nil:
			e.add(known[:i], k.name, now)
		case now == "":
			e.remove(*entry)
		default:
			e.set(*entry, now)
		}
	}
	if want.Text != f.entry.Text {
		e.text(want.Text)
	}
	out := e.apply()
	want.Extra = f.entry.Extra
	if err := check(f.name, out, want); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

func (f *File) field(name string) *yamltext.Entry {
	for i := range f.root.Entries {
		if f.root.Entries[i].Key.Text == name {
			return &f.root.Entries[i]
		}
	}
	return nil
}

// check reads the result and holds it against what it should say.
func check(name, out string, want Entry) error {
	f, problems := parse(name, []byte(out))
	if f == nil {
		return fmt.Errorf("%w: line %d: %s", ErrUnwritable, problems[0].Line, problems[0].Message)
	}
	if !same(f.entry, want) || !holds(want) {
		return ErrUnwritable
	}
	return nil
}

// holds reports whether a file of an entry can have all labels of e.
func holds(e Entry) bool { return labels.Same(e.Labels, e.Only(labels.Entries), 0) }

// same compares what two entries say, whatever their unknown fields look like.
func same(a, b Entry) bool {
	for _, k := range fields() {
		if k.written(&a) != k.written(&b) {
			return false
		}
	}
	meaning := func(x Extra) string { return x.Name + "\x00" + strings.Join(x.Texts, "\x00") }
	names := func(list []Extra) []string {
		var out []string
		for _, x := range list {
			out = append(out, meaning(x))
		}
		slices.Sort(out)
		return out
	}
	return a.Text == b.Text && reflect.DeepEqual(names(a.Extra), names(b.Extra))
}

// Says reports whether the entry says all that the other does: the same fields and, but
// for white space, the same text. Fields that memctl does not know may be more.
func (e Entry) Says(other Entry) bool {
	e.Text, other.Text = NormalText(e.Text), NormalText(other.Text)
	e.Extra = slices.DeleteFunc(slices.Clone(e.Extra), func(x Extra) bool {
		return !slices.ContainsFunc(other.Extra, func(y Extra) bool { return x.Name == y.Name })
	})
	return same(e, other)
}

// Meaning names what the entry says: entries of one name say each all that the other does.
func (e Entry) Meaning() string {
	said := []string{NormalText(e.Text)}
	for _, k := range fields() {
		said = append(said, k.written(&e))
	}
	for _, x := range e.Extra {
		said = append(said, x.Name+"\x00"+strings.Join(x.Texts, "\x00"))
	}
	slices.Sort(said[len(said)-len(e.Extra):])
	sum := sha256.Sum256([]byte(strings.Join(said, "\x01")))
	return hex.EncodeToString(sum[:])
}

// splice replaces bytes of the original; an insertion has start == end.
type splice struct {
	start, end int
	text       string
}

// editor gathers splices in any order. Offsets always are those of the
// original.
type editor struct {
	f       *File
	splices []splice
}

func (e *editor) replace(start, end int, text string) {
	e.splices = append(e.splices, splice{start, end, strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", e.f.eol)})
}

// set gives a field another value, on the key's line.
func (e *editor) set(x yamltext.Entry, now string) {
	if x.Value.Start == x.Value.End || x.Value.Line != x.Key.Line {
		colon := x.Key.End + strings.IndexByte(e.f.src[x.Key.End:], ':') + 1
		e.replace(colon, max(x.Value.End, colon), " "+now)
		return
	}
	e.replace(x.Value.Start, x.Value.End, now)
}

// remove takes a field's lines out.
func (e *editor) remove(x yamltext.Entry) {
	e.replace(e.f.lineStart(x.Start), e.f.lineNext(max(x.Value.End, x.Key.End)), "")
}

// add puts a new field behind the last of those that are written before it.
func (e *editor) add(before []field, name, text string) {
	at := e.f.headStart
	for _, k := range before {
		if x := e.f.field(k.name); x != nil {
			at = max(at, e.f.lineNext(max(x.Value.End, x.Key.End)))
		}
	}
	indent := ""
	if len(e.f.root.Entries) > 0 {
		indent = strings.Repeat(" ", e.f.root.Column-1)
	}
	e.replace(at, at, indent+name+": "+text+"\n")
}

// text gives the file another body.
func (e *editor) text(now string) {
	f := e.f
	if f.textEnd > f.textStart {
		e.replace(f.textStart, f.textEnd, now)
		return
	}
	lead := "\n"
	if f.textStart > 0 && f.src[f.textStart-1] != '\n' {
		lead = "\n\n" // the closing fence has no line ending
	}
	e.replace(f.textStart, f.textStart, lead+now+"\n")
}

func (e *editor) apply() string {
	// What goes comes before what is put in at the same place.
	slices.SortStableFunc(e.splices, func(a, b splice) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.start < at {
			s.start = at
		}
		b.WriteString(e.f.src[at:s.start])
		b.WriteString(s.text)
		at = max(at, s.end)
	}
	b.WriteString(e.f.src[at:])
	return b.String()
}
