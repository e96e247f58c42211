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
	"github.com/memctl/memctl/memfile/patch"
)

// ErrUnwritable says that an entry cannot be written so that it reads back as
// it is: nothing is returned with it.
var ErrUnwritable = errors.New("the entry would not read back the same")

// New prints an entry that has no file yet. Errors: ErrUnwritable.
func New(e Entry) ([]byte, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for i, text := range e.written() {
		if text != "" {
			b.WriteString(e.fields()[i].Name + ": " + text + "\n")
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
	if want.Text == f.entry.Text && canHoldLabels(want) && f.entry.written() == want.written() {
		return f.Bytes(), nil
	}
	return f.rewrite(want, f.entry.Extra, nil)
}

// rewrite is Rewrite with other unknown fields, and more comments below the front matter's fields.
func (f *File) rewrite(want Entry, extra []Extra, comments []string) ([]byte, error) {
	want.Extra = extra
	before := slices.DeleteFunc(f.lines(f.entry), func(l patch.Lines) bool { return f.field(l.Name) == nil })
	var order []string
	for _, k := range want.fields() {
		order = append(order, k.Name)
	}
	src := yamltext.Source{Text: f.src, From: f.headStart, To: f.headEnd, Line: 2}
	out, err := patch.Map(src, f.eol, f.root, order, before, f.lines(want))
	if err != nil {
		return nil, ErrUnwritable
	}
	head := out[:len(out)-(len(f.src)-f.headEnd)]
	for _, comment := range comments {
		head += comment + f.eol
	}
	out = head + f.body(want.Text)
	if err := check(f.name, out, want); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// lines are the fields of the front matter as f has its lines.
func (f *File) lines(e Entry) (list []patch.Lines) {
	margin, known := strings.Repeat(" ", f.root.Column-1), e.fields()
	for i, text := range e.written() {
		if text != "" {
			list = append(list, patch.Lines{Name: known[i].Name, Text: margin + known[i].Name + ": " + text + f.eol})
		}
	}
	for _, x := range e.Extra {
		list = append(list, patch.Lines{Name: x.Name, Text: margin + f.ended(x.raw) + f.eol})
	}
	return list
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
	if !same(f.entry, want) || !canHoldLabels(want) {
		return ErrUnwritable
	}
	return nil
}

// canHoldLabels reports whether a file of an entry can have all labels of e.
func canHoldLabels(e Entry) bool { return labels.Same(e.Labels, e.Only(labels.Entries), 0) }

// same compares what two entries say, whatever their unknown fields look like.
func same(a, b Entry) bool {
	meaning := func(x Extra) string { return x.Name + "\x00" + strings.Join(x.Texts, "\x00") }
	names := func(list []Extra) []string {
		var out []string
		for _, x := range list {
			out = append(out, meaning(x))
		}
		slices.Sort(out)
		return out
	}
	return a.Text == b.Text && a.written() == b.written() && reflect.DeepEqual(names(a.Extra), names(b.Extra))
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
	for _, text := range e.written() {
		said = append(said, text)
	}
	for _, x := range e.Extra {
		said = append(said, x.Name+"\x00"+strings.Join(x.Texts, "\x00"))
	}
	slices.Sort(said[len(said)-len(e.Extra):])
	sum := sha256.Sum256([]byte(strings.Join(said, "\x01")))
	return hex.EncodeToString(sum[:])
}

// body is what follows the front matter's fields, with another text.
func (f *File) body(text string) string {
	lead, end := f.src[f.headEnd:f.textStart], f.src[f.textEnd:]
	switch {
	case text == f.entry.Text:
		text = f.src[f.textStart:f.textEnd]
	case f.textEnd > f.textStart:
		text = f.ended(text)
	case strings.HasSuffix(lead, "\n"):
		text = f.ended("\n" + text + "\n")
	default: // the closing fence has no line ending
		text = f.ended("\n\n" + text + "\n")
	}
	return lead + text + end
}

// ended is a text with the file's line endings.
func (f *File) ended(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", f.eol)
}
