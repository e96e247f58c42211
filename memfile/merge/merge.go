// Package merge makes one memory file of two: by key where both are sound, with the
// comments and the text around the block merged as lines. It also takes a text with
// conflict markers apart, and joins items of one key.
//
// It is pure: bytes in, bytes out.
package merge

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// MostlyCRLF reports whether most lines end as Windows' do. All lines of a merged file end as most
// lines of its sides.
func MostlyCRLF(src []byte) bool {
	return 2*bytes.Count(src, []byte("\r\n")) > bytes.Count(src, []byte("\n"))
}

// Result is what a merge made.
type Result struct {
	Bytes []byte  // the file
	Aside []Aside // what the two sides could not both have, in the order of keys
}

// Why a merge set something aside.
const (
	AsideConflict  = "conflict"  // two values: the other stands in the item's conflict
	AsideForgotten = "forgotten" // forgotten on one side: a value that was changed on the other is on the tombstone
	AsideKept      = "kept"      // taken out on one side without a tombstone, changed on the other: it stays
	AsideField     = "field"     // an unknown field with two values; git's history has the other alone
)

// Aside is one thing that the two sides could not both have.
type Aside struct {
	Why string // one of the Aside constants
	Key string // the item's, or the field's or setting's name; "" for a text that was forgotten
}

// Error says that a side is not a valid memory file, so that nothing can be merged by meaning.
type Error struct {
	Side     string // "base", "ours" or "theirs"
	Problems []memfile.Problem
}

func (e *Error) Error() string {
	for _, p := range e.Problems {
		if p.Damage {
			return fmt.Sprintf("%q: is damaged (%s, line %d)", e.Side, p.Rule, p.Line)
		}
	}
	return fmt.Sprintf("%q: is damaged", e.Side)
}

// Files makes one memory file of two that go back to one base; a nil base is
// none. The result is the same bytes whichever side is ours. What the document
// says is merged by key (mergeDocuments); text outside the block line by line,
// where both sides' lines stay if both changed the same; and inside it layout
// and comments are merged as lines too. A side that does not differ from the
// base gives the other side's bytes, damaged or not. The name stands in problems.
//
// Errors: *Error where a side is damaged, patch.ErrNewer where one has a newer
// version, memfile.ErrUnwritable where no sound file can be made.
func Files(name string, base, ours, theirs []byte) (Result, error) {
	switch {
	case bytes.Equal(ours, theirs), base != nil && bytes.Equal(base, theirs):
		return Result{Bytes: ours}, nil
	case base != nil && bytes.Equal(base, ours):
		return Result{Bytes: theirs}, nil
	}
	m := merging{name: name}
	names := []string{"ours", "theirs"}
	if bytes.Compare(ours, theirs) > 0 { // so that neither side is special
		ours, theirs = theirs, ours
		slices.Reverse(names)
	}
	if err := m.read(base, ours, theirs, names); err != nil {
		return Result{}, err
	}
	var baseDoc *memfile.Document
	if m.base != nil {
		doc := m.base.Document()
		baseDoc = &doc
	}
	d := mergeDocuments(baseDoc, m.ours.Document(), m.theirs.Document())
	m.want, m.aside = d.out, d.aside
	if m.want.Version > 1 {
		return Result{}, patch.ErrNewer
	}
	return m.write()
}

// merging is one merge under way. Its files have LF line endings and a final
// newline.
type merging struct {
	name               string
	base, ours, theirs *memfile.File // base is nil where there is none
	want               memfile.Document
	aside              []Aside
	crlf, open         bool // what the result has instead
}

func (m *merging) read(base, ours, theirs []byte, names []string) error {
	open := func(src []byte) bool { return len(src) > 0 && src[len(src)-1] != '\n' }
	hasBase := base != nil
	m.crlf = labels.MergeValue(hasBase, MostlyCRLF(base), MostlyCRLF(ours), MostlyCRLF(theirs), false)
	m.open = labels.MergeValue(hasBase, open(base), open(ours), open(theirs), false)
	var err error
	parse := func(side string, src []byte) *memfile.File {
		if bytes.Contains(src, []byte("\r\r\n")) { // of which one CR would stay
			if f, problems := memfile.Parse(m.name, src); f == nil && err == nil {
				err = &Error{Side: side, Problems: problems}
			}
		}
		src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		if open(src) {
			src = append(slices.Clip(src), '\n')
		}
		f, problems := memfile.Parse(m.name, src)
		if f == nil && err == nil {
			err = &Error{Side: side, Problems: problems}
		}
		return f
	}
	m.ours, m.theirs = parse(names[0], ours), parse(names[1], theirs)
	if hasBase {
		m.base = parse("base", base)
	}
	return err
}

// write makes each file say what is wanted, and merges the files as lines. They then differ only in
// layout, comments, prose and unknown fields.
func (m *merging) write() (Result, error) {
	ours, err := m.rewrite(m.ours)
	theirs, err2 := m.rewrite(m.theirs)
	if err != nil || err2 != nil {
		return Result{}, errors.Join(err, err2)
	}
	var base *memfile.File
	if m.base != nil {
		base, _ = m.rewrite(m.base) // a base that cannot be changed is as good as none
	}
	var first []byte // where none says by itself what is wanted, and an entry is written anew
	for _, text := range candidates(base, ours, theirs) {
		out, whole, err := m.finish(text)
		switch {
		case err != nil:
		case whole:
			return Result{Bytes: out, Aside: m.aside}, nil
		case first == nil:
			first = out
		}
	}
	if first == nil {
		return Result{}, fmt.Errorf("%w: one side's text around the block would break the other side's block", memfile.ErrUnwritable)
	}
	return Result{Bytes: first, Aside: m.aside}, nil
}

const bom = "\ufeff"

// candidates are the texts to try, the best merge first, those with one side's block last.
func candidates(base, ours, theirs *memfile.File) []string {
	parts := func(f *memfile.File) (before, block, after string) {
		if f == nil {
			return "", "", ""
		}
		src := f.Source().Text
		start, end := f.Block()
		return strings.TrimPrefix(src[:start], bom), src[start:end], src[end:]
	}
	marked := func(f *memfile.File) bool { return f != nil && strings.HasPrefix(f.Source().Text, bom) }
	b1, b2, b3 := parts(base)
	o1, o2, o3 := parts(ours)
	t1, t2, t3 := parts(theirs)
	before, _ := linemerge.UnionMerge(b1, o1, t1)
	after, _ := linemerge.UnionMerge(b3, o3, t3)
	if labels.MergeValue(base != nil, marked(base), marked(ours), marked(theirs), true) {
		before = bom + before
	}
	block := strings.Join(linemerge.MergeLines(lines(b2), lines(o2), lines(t2), keepOne), "")
	return []string{
		before + block + after,
		before + withComments(o2, block) + after,
		before + o2 + after,
		before + t2 + after,
	}
}

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

// keepOne keeps our lines and the comments that they added. Both files say the same, so their other
// lines are another way to write it.
func keepOne(base, ours, theirs []string) []string {
	out := []string{}
	for _, line := range theirs {
		if strings.HasPrefix(strings.TrimSpace(line), "#") && !slices.Contains(ours, line) && !slices.Contains(base, line) {
			out = append(out, line)
		}
	}
	return append(out, ours...)
}

// withComments puts comments that a block would have had before its closing
// fence.
func withComments(block, other string) string {
	has := map[string]bool{}
	for line := range strings.Lines(block) {
		has[strings.TrimSpace(line)] = true
	}
	var lost strings.Builder
	for line := range strings.Lines(other) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "#") && !has[text] {
			lost.WriteString(text + "\n")
		}
	}
	end := strings.LastIndexByte(strings.TrimRight(block, "\n"), '\n') + 1
	return block[:end] + lost.String() + block[end:]
}

// rewrite makes a file say what is wanted, unknown fields of the block aside: those are merged
// as lines first.
func (m *merging) rewrite(f *memfile.File) (*memfile.File, error) {
	want := placed(m.want, f.Document())
	want.Unknown = f.Document().Unknown
	return patch.Rewritten(f, want)
}

func (m *merging) parse(src []byte) (*memfile.File, error) {
	f, problems := memfile.Parse(m.name, src)
	if f == nil {
		return nil, memfile.DamageError(problems)
	}
	return f, nil
}

// placed is the document with each entry at the line where the file has one of
// its key.
func placed(want, has memfile.Document) memfile.Document {
	want = want.Clone()
	items := map[string][]*memfile.Item{}
	for i := range has.Items {
		items[has.Items[i].Key] = append(items[has.Items[i].Key], &has.Items[i])
	}
	for i := range want.Items {
		it := &want.Items[i]
		list := items[it.Key]
		if len(list) == 0 {
			continue
		}
		at := max(0, slices.IndexFunc(list, func(h *memfile.Item) bool { return memfile.Equal(h.Value, it.Value) }))
		it.Line, it.Column = list[at].Line, list[at].Column
	}
	tombs := map[string]*memfile.Tombstone{}
	for i := range has.Deletions {
		if key := memfile.TombstoneKey(has.Deletions[i]); tombs[key] == nil {
			tombs[key] = &has.Deletions[i]
		}
	}
	for i := range want.Deletions {
		t := &want.Deletions[i]
		if h := tombs[memfile.TombstoneKey(*t)]; h != nil {
			t.Line, t.Column = h.Line, h.Column
		}
	}
	return want
}

// finish makes a text say what is wanted, and gives it its line endings; whole
// reports whether it said so by itself.
func (m *merging) finish(text string) (merged []byte, whole bool, err error) {
	f, err := m.parse([]byte(text))
	if err != nil {
		return nil, false, err
	}
	if f, err = patch.Rewritten(f, placed(m.want, f.Document())); err != nil {
		return nil, false, err
	}
	out := f.Source().Text
	whole = out == text
	if m.open {
		out = strings.TrimSuffix(out, "\n")
	}
	if m.crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	if len(out) > memfile.MaxFileBytes {
		return nil, false, errors.New("too large")
	}
	return []byte(out), whole, nil
}
