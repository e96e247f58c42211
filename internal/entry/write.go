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

// Print prints an entry that has no file yet. Errors: ErrUnwritable.
func Print(e Entry) ([]byte, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for i, text := range e.printedFields() {
		if text != "" {
			b.WriteString(e.fields()[i].Name + ": " + text + "\n")
		}
	}
	for _, x := range e.Extra {
		b.WriteString(strings.ReplaceAll(x.raw, "\r\n", "\n") + "\n")
	}
	b.WriteString("---\n\n" + e.Text + "\n")
	out := b.String()
	if err := checkReadsBack("", out, e); err != nil {
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
	if want.Text == f.entry.Text && canHoldLabels(want) && f.entry.printedFields() == want.printedFields() {
		return f.Bytes(), nil
	}
	return f.rewrite(want, f.entry.Extra, nil)
}

// rewrite is Rewrite with other unknown fields, and more comments below the front matter's fields.
func (f *File) rewrite(want Entry, extra []Extra, comments []string) ([]byte, error) {
	want.Extra = extra
	before := slices.DeleteFunc(f.frontMatterLines(f.entry), func(l patch.Lines) bool { return f.findField(l.Name) == nil })
	var order []string
	for _, k := range want.fields() {
		order = append(order, k.Name)
	}
	src := yamltext.Source{Text: f.src, From: f.headStart, To: f.headEnd, Line: 2}
	out, err := patch.Map(src, f.eol, f.root, order, before, f.frontMatterLines(want))
	if err != nil {
		return nil, ErrUnwritable
	}
	head := out[:len(out)-(len(f.src)-f.headEnd)]
	for _, comment := range comments {
		head += comment + f.eol
	}
	out = head + f.printBody(want.Text)
	if err := checkReadsBack(f.name, out, want); err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// frontMatterLines are the fields of the front matter as f has its lines.
func (f *File) frontMatterLines(e Entry) (list []patch.Lines) {
	margin, known := strings.Repeat(" ", f.root.Column-1), e.fields()
	for i, text := range e.printedFields() {
		if text != "" {
			list = append(list, patch.Lines{Name: known[i].Name, Text: margin + known[i].Name + ": " + text + f.eol})
		}
	}
	for _, x := range e.Extra {
		list = append(list, patch.Lines{Name: x.Name, Text: margin + f.withLineEndings(x.raw) + f.eol})
	}
	return list
}

func (f *File) findField(name string) *yamltext.Entry {
	for i := range f.root.Entries {
		if f.root.Entries[i].Key.Text == name {
			return &f.root.Entries[i]
		}
	}
	return nil
}

// checkReadsBack parses the printed entry and compares it with the entry that was printed.
func checkReadsBack(name, out string, want Entry) error {
	f, problems := parse(name, []byte(out))
	if f == nil {
		return fmt.Errorf("%w: line %d: %s", ErrUnwritable, problems[0].Line, problems[0].Message)
	}
	if !haveSameFields(f.entry, want) || !canHoldLabels(want) {
		return ErrUnwritable
	}
	return nil
}

// canHoldLabels reports whether a file of an entry can have all labels of e.
func canHoldLabels(e Entry) bool { return labels.Same(e.Labels, e.WithUse(labels.Entries), 0) }

// haveSameFields compares what two entries say, whatever their unknown fields look like.
func haveSameFields(a, b Entry) bool {
	meaning := func(x Extra) string { return x.Name + "\x00" + strings.Join(x.Scalars, "\x00") }
	names := func(list []Extra) []string {
		var out []string
		for _, x := range list {
			out = append(out, meaning(x))
		}
		slices.Sort(out)
		return out
	}
	return a.Text == b.Text && a.printedFields() == b.printedFields() && reflect.DeepEqual(names(a.Extra), names(b.Extra))
}

// HasAllOf reports whether the entry says all that the other does: the same fields and, but
// for white space, the same text. Fields that memctl does not know may be more.
func (e Entry) HasAllOf(other Entry) bool {
	e.Text, other.Text = NormalizeText(e.Text), NormalizeText(other.Text)
	e.Extra = slices.DeleteFunc(slices.Clone(e.Extra), func(x Extra) bool {
		return !slices.ContainsFunc(other.Extra, func(y Extra) bool { return x.Name == y.Name })
	})
	return haveSameFields(e, other)
}

// ContentDigest hashes the content of an entry. Two entries with the same digest have the same content.
func (e Entry) ContentDigest() string {
	said := []string{NormalizeText(e.Text)}
	for _, text := range e.printedFields() {
		said = append(said, text)
	}
	for _, x := range e.Extra {
		said = append(said, x.Name+"\x00"+strings.Join(x.Scalars, "\x00"))
	}
	slices.Sort(said[len(said)-len(e.Extra):])
	sum := sha256.Sum256([]byte(strings.Join(said, "\x01")))
	return hex.EncodeToString(sum[:])
}

// printBody returns what follows the front matter's fields, with another text.
func (f *File) printBody(text string) string {
	lead, end := f.src[f.headEnd:f.textStart], f.src[f.textEnd:]
	switch {
	case text == f.entry.Text:
		text = f.src[f.textStart:f.textEnd]
	case f.textEnd > f.textStart:
		text = f.withLineEndings(text)
	case strings.HasSuffix(lead, "\n"):
		text = f.withLineEndings("\n" + text + "\n")
	default: // the closing fence has no line ending
		text = f.withLineEndings("\n\n" + text + "\n")
	}
	return lead + text + end
}

// withLineEndings returns a text with the file's line endings.
func (f *File) withLineEndings(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", f.eol)
}
