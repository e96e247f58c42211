package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/internal/linemerge"
)

// ErrUnreadable says that a side of a merge is no entry that can be read.
var ErrUnreadable = errors.New("a side of the merge cannot be read as an entry")

// ErrOther says that the sides of a merge are two entries, and that the path is
// neither's: git took one for the other, since they are much alike.
var ErrOther = errors.New("the two sides of the merge are different entries")

// Merge merges two changes of an entry's file. name is its path from the
// store's root, "" where it is not known; base is nil where there is none. The
// ids decide what belongs together: of two entries the one whose path it is
// stays as it is, and a base that is another entry is none.
// It is symmetric: the result is the same whichever side is ours. Changed on
// one side, a field takes that side; changed on both, tags, topics and anchors
// are put together, the higher confidence, weight and count win, the earlier
// time of creation, the later day, true for what pins and locks, and of other
// texts the one that comes first. Where only one side is a person's, its tags, day of expiry,
// confidence, weight, category, pin and lock stand. A body that both sides changed is merged line by line; of lines that both
// changed, both stay. The notes say what was decided where both had changed the
// same thing. Errors: ErrUnreadable, ErrUnwritable, ErrOther.
func Merge(name string, base, ours, theirs []byte) (merged []byte, notes []string, err error) {
	switch {
	case bytes.Equal(ours, theirs), base != nil && bytes.Equal(base, theirs):
		return ours, nil, nil
	case base != nil && bytes.Equal(base, ours):
		return theirs, nil, nil
	}
	a, _ := parse("", ours)
	b, _ := parse("", theirs)
	if a == nil || b == nil {
		return nil, nil, ErrUnreadable
	}
	if other(a.entry, b.entry) {
		return own(name, a, b)
	}
	if bytes.Compare(ours, theirs) > 0 {
		a, b = b, a
	}
	var o *File
	if base != nil {
		o, _ = parse("", base)
	}
	if o != nil && other(o.entry, a.entry) {
		o = nil
	}
	m := &merging{a: a.entry, b: b.entry}
	if o != nil {
		m.base, m.has = o.entry, true
	}
	want := m.entry()
	out, err := a.Rewrite(want)
	if err != nil {
		return nil, nil, err
	}
	out, err = carryOver(out, want, o, a, b)
	return out, m.notes, err
}

// other reports whether two files are two entries. A conversation's summary is
// one entry, whatever its id: that changes with the text.
func other(a, b Entry) bool {
	return a.ID != "" && b.ID != "" && a.ID != b.ID && !(a.Role == RoleSummary && b.Role == RoleSummary)
}

// own is the one of two entries whose path it is.
func own(name string, a, b *File) ([]byte, []string, error) {
	place, _ := ParsePath(name)
	switch fitsA, fitsB := place.Fits(a.entry), place.Fits(b.entry); {
	case fitsA == fitsB:
		return nil, nil, ErrOther
	case fitsB:
		a = b
	}
	return a.Bytes(), []string{"git mistook a similar entry for this one, so this one stays as it is"}, nil
}

// merging is one merge of what two files say; a and b are in an order that does
// not depend on the side.
type merging struct {
	base, a, b Entry
	has        bool // there is a base
	notes      []string
}

func (m *merging) note(name, what string) {
	m.notes = append(m.notes, fmt.Sprintf("%s: changed on both sides, %s", name, what))
}

// entry is what the merged file says; unknown fields come later.
func (m *merging) entry() Entry {
	want := m.a.clone()
	m.texts(&want)
	merge3(m, "created_at", &want, func(e *Entry) *string { return &e.Created }, earlier)
	merge3(m, "deleted_at", &want, func(e *Entry) *string { return &e.Deleted }, earlier)
	merge3(m, "confidence", &want, func(e *Entry) *string { return &e.Confidence }, func(a, b string) string {
		if confidence.Rank(b) > confidence.Rank(a) {
			return b
		}
		return a
	})
	later := func(a, b string) string { return max(a, b) }
	merge3(m, "seen", &want, func(e *Entry) *string { return &e.Seen }, later)
	merge3(m, "expires", &want, func(e *Entry) *string { return &e.Expires }, later)
	merge3(m, "by", &want, func(e *Entry) *string { return &e.By }, func(a, b string) string { return min(a, b) })
	merge3(m, "weight", &want, func(e *Entry) *float64 { return &e.Weight }, func(a, b float64) float64 { return max(a, b) })
	merge3(m, "signals", &want, func(e *Entry) *int { return &e.Signals }, func(a, b int) int { return max(a, b) })
	either := func(a, b bool) bool { return a || b }
	merge3(m, "pinned", &want, func(e *Entry) *bool { return &e.Pinned }, either)
	merge3(m, "locked", &want, func(e *Entry) *bool { return &e.Locked }, either)
	merge3(m, "stale", &want, func(e *Entry) *bool { return &e.Stale }, either)
	want.Tags = union(m.base.Tags, m.a.Tags, m.b.Tags)
	want.Topics = union(m.base.Topics, m.a.Topics, m.b.Topics)
	want.Anchors = union(m.base.Anchors, m.a.Anchors, m.b.Anchors)
	m.ofPerson(&want)
	if m.a.Text != m.b.Text {
		text, clean := linemerge.Text(m.base.Text, m.a.Text, m.b.Text)
		if want.Text = strings.TrimSpace(text); !clean && m.has {
			m.note("the text", "so the lines of both sides are kept")
		} else if !clean {
			m.notes = append(m.notes, "the text: the two sides differ, so both texts are kept")
		}
	}
	return want
}

// ofPerson takes from the person's side what decides how an entry is shown, where the
// other side is an agent's: nothing of that may hide or freeze what the person stated.
func (m *merging) ofPerson(want *Entry) {
	person := m.a
	switch {
	case m.a.Stated() == m.b.Stated():
		return
	case m.b.Stated():
		person = m.b
	}
	want.Tags, want.Expires, want.Confidence = slices.Clone(person.Tags), person.Expires, person.Confidence
	want.Locked, want.Pinned, want.Weight, want.Category = person.Locked, person.Pinned, person.Weight, person.Category
}

// texts merges the fields that hold a word or two: of two changes the one that
// comes first as text, so that no side matters.
func (m *merging) texts(want *Entry) {
	first := func(a, b string) string {
		if a == "" || b != "" && b < a {
			return b
		}
		return a
	}
	for name, at := range map[string]func(*Entry) *string{
		"id":              func(e *Entry) *string { return &e.ID },
		"role":            func(e *Entry) *string { return &e.Role },
		"conversation_id": func(e *Entry) *string { return &e.Conversation },
		"session":         func(e *Entry) *string { return &e.Session },
		"category":        func(e *Entry) *string { return &e.Category },
		"source":          func(e *Entry) *string { return &e.Source },
		"summary_kind":    func(e *Entry) *string { return &e.SummaryKind },
		"replaced_by":     func(e *Entry) *string { return &e.ReplacedBy },
		"reason":          func(e *Entry) *string { return &e.Reason },
	} {
		merge3(m, name, want, at, first)
	}
	slices.Sort(m.notes) // a map has no order
}

// merge3 merges one field; both settles a field that both sides changed.
func merge3[T comparable](m *merging, name string, want *Entry, at func(*Entry) *T, both func(a, b T) T) {
	base, a, b := *at(&m.base), *at(&m.a), *at(&m.b)
	switch {
	case a == b, m.has && b == base:
		*at(want) = a
	case m.has && a == base:
		*at(want) = b
	default:
		*at(want) = both(a, b)
		if m.has {
			m.note(name, fmt.Sprintf("so %v is kept", *at(want)))
		}
	}
}

func earlier(a, b string) string {
	ta, okA := ParseTime(a)
	tb, okB := ParseTime(b)
	if okB && (!okA || tb.Before(ta)) {
		return b
	}
	return a
}

// union keeps what the base had and neither side took out, then what the sides
// added, in the order of a and then b.
func union[T comparable](base, a, b []T) []T {
	var out []T
	for _, x := range base {
		if slices.Contains(a, x) && slices.Contains(b, x) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	for _, x := range slices.Concat(a, b) {
		if !slices.Contains(out, x) && !slices.Contains(base, x) {
			out = append(out, x)
		}
	}
	return out
}

// carryOver puts into the merged file, which began as a's, what only the other
// side says beside the known fields: unknown fields that it added, changed or
// took out, and comments in the front matter that the base did not have.
func carryOver(out []byte, want Entry, o, a, b *File) ([]byte, error) {
	f, _ := parse(a.name, out)
	if f == nil {
		return nil, ErrUnwritable
	}
	e := &editor{f: f}
	want.Extra = nil
	var lines []string
	for _, name := range extraNames(a, b) {
		inA, inB, inBase := a.extra(name), b.extra(name), o.extra(name)
		keep := inA
		switch {
		case inBase != nil && inA != nil && inA.raw == inBase.raw:
			keep = inB
		case inA == nil && (inBase == nil || inB.raw != inBase.raw):
			keep = inB
		}
		switch at := f.field(name); {
		case keep == nil && at != nil:
			e.remove(*at)
		case keep != nil && at == nil:
			lines = append(lines, keep.raw)
		case keep != nil && keep != inA:
			e.replace(at.Start, max(at.Value.End, at.Key.End+1), keep.raw)
		}
		if keep != nil {
			want.Extra = append(want.Extra, *keep)
		}
	}
	lines = append(lines, f.commentsOf(b, o)...)
	if len(lines) > 0 {
		e.replace(f.headEnd, f.headEnd, strings.Join(lines, "\n")+"\n")
	}
	if len(e.splices) == 0 {
		return out, nil
	}
	merged := e.apply()
	return []byte(merged), check(a.name, merged, want)
}

func extraNames(files ...*File) []string {
	var names []string
	for _, f := range files {
		for _, x := range f.entry.Extra {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	return names
}

// extra is the unknown field of that name; nil where there is none, or no file.
func (f *File) extra(name string) *Extra {
	if f == nil {
		return nil
	}
	for i := range f.entry.Extra {
		if f.entry.Extra[i].Name == name {
			return &f.entry.Extra[i]
		}
	}
	return nil
}

// commentsOf lists the comments of another file's front matter that neither f
// nor the base has.
func (f *File) commentsOf(other, base *File) []string {
	var list []string
	for line := range strings.Lines(other.src[other.headStart:other.headEnd]) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#") && !strings.Contains(f.src[:f.headEnd], text) && (base == nil || !strings.Contains(base.src, text)) {
			list = append(list, text)
		}
	}
	return list
}
