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
	before, after := f.entry.written(), want.written()
	if want.Text == f.entry.Text && holds(want) && before == after {
		return f.Bytes(), nil
	}
	head := f.head()
	known := want.fields()
	for i, now := range after {
		name := known[i].Name
		switch at := f.field(name); {
		case at == nil && now != "":
			head = head.add(known[:i], part{name, strings.Repeat(" ", f.root.Column-1) + name + ": " + now + f.eol})
		case at == nil || before[i] == now:
		case now == "":
			head.set(name, "")
		default:
			head.set(name, f.withValue(*at, now))
		}
	}
	out := f.with(head, want.Text)
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

// part is a field of the front matter with its lines, or the lines between two of them, which have no name.
type part struct{ name, lines string }

// parts are a front matter from its first line to its last.
type parts []part

func (f *File) head() (head parts) {
	at := f.headStart
	for _, x := range f.root.Entries {
		start, end := f.lineStart(x.Start), f.lineNext(max(x.Value.End, x.Key.End))
		head, at = append(head, part{"", f.src[at:start]}, part{x.Key.Text, f.src[start:end]}), end
	}
	return append(head, part{"", f.src[at:f.headEnd]})
}

// set gives a field that is there other lines.
func (head parts) set(name, lines string) {
	head[slices.IndexFunc(head, func(p part) bool { return p.name == name })].lines = lines
}

// add puts a new field behind the last of those that are written before it.
func (head parts) add(before []labels.Field, now part) parts {
	at := 0
	for i, p := range head {
		if slices.ContainsFunc(before, func(k labels.Field) bool { return k.Name == p.name }) {
			at = i + 1
		}
	}
	return slices.Insert(head, at, now)
}

// withValue are a field's lines with another value, on the key's line.
func (f *File) withValue(x yamltext.Entry, now string) string {
	start, end := x.Value.Start, x.Value.End
	if start == end || x.Value.Line != x.Key.Line {
		start = x.Key.End + strings.IndexByte(f.src[x.Key.End:], ':') + 1
		end, now = max(end, start), " "+now
	}
	return f.src[f.lineStart(x.Start):start] + now + f.src[end:f.lineNext(max(x.Value.End, x.Key.End))]
}

// with is the file with another front matter and another body.
func (f *File) with(head parts, text string) string {
	var b strings.Builder
	for _, p := range head {
		b.WriteString(p.lines)
	}
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
	return f.src[:f.headStart] + b.String() + lead + text + end
}

// ended is a text with the file's line endings.
func (f *File) ended(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", f.eol)
}
