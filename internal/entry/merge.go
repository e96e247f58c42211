package entry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/yamltext"
)

// ErrUnreadable says that a side of a merge is no entry that can be read.
var ErrUnreadable = errors.New("a side of the merge cannot be read as an entry")

// ErrDifferentEntries says that the sides of a merge are two entries, and that the path is
// neither's: git took one for the other, since they are much alike.
var ErrDifferentEntries = errors.New("the two sides of the merge are different entries")

// Merge merges two changes of an entry's file. name is its path from the
// store's root, "" where it is not known; base is nil where there is none. The
// ids decide what belongs together: of two entries the one whose path it is
// stays as it is, and a base that is another entry is none.
// It is symmetric: the result is the same whichever side is ours. Labels are merged as those of
// items (labels.Merge), and so are the other fields: one that both sides changed is that of the side
// that wins, the greater number, the earlier time of creation, or the list of both. A body that both
// sides changed is merged line by line; of lines that both changed, both stay. The notes say what was
// decided where both had changed the same thing. Errors: ErrUnreadable, ErrUnwritable, ErrDifferentEntries.
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
	if areDifferent(a.entry, b.entry) {
		return chooseByPath(name, a, b)
	}
	var o *File
	if base != nil {
		o, _ = parse("", base)
	}
	if o != nil && areDifferent(o.entry, a.entry) {
		o = nil
	}
	if secondWins(o, a, b) {
		a, b = b, a
	}
	want, notes := mergeEntries(o, a.entry, b.entry)
	merged, err = a.rewrite(want, mergeExtra(o, a, b), a.commentsToAdd(b, o))
	return merged, notes, err
}

// areDifferent reports whether two files are two entries. A conversation's summary is
// one entry, whatever its id: that changes with the text.
func areDifferent(a, b Entry) bool {
	return a.ID != "" && b.ID != "" && a.ID != b.ID && !(a.Role == RoleSummary && b.Role == RoleSummary)
}

// chooseByPath returns the one of two entries that belongs at the path.
func chooseByPath(name string, a, b *File) ([]byte, []string, error) {
	place, _ := ParsePath(name)
	switch fitsA, fitsB := place.IsNamedAfter(a.entry), place.IsNamedAfter(b.entry); {
	case fitsA == fitsB:
		return nil, nil, ErrDifferentEntries
	case fitsB:
		a = b
	}
	return a.Bytes(), []string{"git mistook a similar entry for this one, so this one stays as it is"}, nil
}

// side is an entry as labels.ChooseSide compares it.
func (e Entry) side() labels.Side {
	return labels.Side{Labels: e.Labels, Content: e.Text, Unconfirmed: e.HasTag("needs-confirmation")}
}

// secondWins reports whether the second version is kept where the two differ. It does not depend on
// which of them is ours.
func secondWins(o, a, b *File) bool {
	var base *labels.Side
	if o != nil {
		side := o.entry.side()
		base = &side
	}
	second, _ := labels.ChooseSide(base, a.entry.side(), b.entry.side(), bytes.Compare(a.Bytes(), b.Bytes()))
	return second
}

// mergeEntries merges what two files say, of which win is kept where they differ. Unknown fields come later.
func mergeEntries(o *File, win, lose Entry) (want Entry, notes []string) {
	var base Entry
	var was *labels.Labels
	if o != nil {
		base, was = o.entry, &o.entry.Labels
	}
	want = win.clone()
	want.Labels = labels.Merge(was, win.Labels, lose.Labels, win.Text == lose.Text)
	joins := !win.Outranks(lose.Labels)
	bases, theirs := base.fieldsFromOneSide(), lose.fieldsFromOneSide()
	for i, at := range want.fieldsFromOneSide() {
		switch at := at.(type) {
		case *string:
			other := *at
			if at == &want.Created {
				other = earlierTime(*at, lose.Created)
			}
			*at = labels.MergeValue(o != nil, *bases[i].(*string), *at, *theirs[i].(*string), cmp.Or(other, *theirs[i].(*string)))
		case *bool:
			*at = labels.MergeValue(o != nil, *bases[i].(*bool), *at, *theirs[i].(*bool), true)
		}
	}
	if joins {
		want.Weight = labels.MergeValue(o != nil, base.Weight, win.Weight, lose.Weight, max(win.Weight, lose.Weight))
		want.Category = labels.MergeValue(o != nil, base.Category, win.Category, lose.Category, cmp.Or(win.Category, lose.Category))
	}
	want.Topics = labels.MergeSet(base.Topics, win.Topics, lose.Topics)
	want.Anchors = labels.MergeSet(base.Anchors, win.Anchors, lose.Anchors)
	if o != nil {
		notes = fieldsChangedByBoth(base, win, lose, want)
	}
	if win.Text != lose.Text {
		text, clean := linemerge.UnionMerge(base.Text, win.Text, lose.Text)
		if want.Text = strings.TrimSpace(text); !clean && o != nil {
			notes = append(notes, "the text: changed on both sides, so the lines of both sides are kept")
		} else if !clean {
			notes = append(notes, "the text: the two sides differ, so both texts are kept")
		}
	}
	return want, notes
}

// fieldsFromOneSide are the fields that a merge takes from one of the sides: all but labels, lists and numbers.
func (e *Entry) fieldsFromOneSide() []any {
	return []any{&e.ID, &e.Role, &e.Conversation, &e.Created, &e.Session, &e.SummaryKind, &e.Stale, &e.ReplacedBy, &e.Deleted, &e.Reason}
}

// fieldsChangedByBoth names the fields that both sides changed, each in its own way. Of lists, both changes are kept.
func fieldsChangedByBoth(base, one, two, want Entry) (notes []string) {
	was, first, second, now := base.printedFields(), one.printedFields(), two.printedFields(), want.printedFields()
	for i, f := range want.fields() {
		if a, b := first[i], second[i]; a != b && a != was[i] && b != was[i] && !slices.Contains([]string{"tags", "topics", "anchors", "commands", "when"}, f.Name) {
			notes = append(notes, fmt.Sprintf("%s: changed on both sides, so %s is kept", f.Name, cmp.Or(now[i], "none")))
		}
	}
	return notes
}

func earlierTime(a, b string) string {
	ta, okA := ParseTime(a)
	tb, okB := ParseTime(b)
	if okB && (!okA || tb.Before(ta)) {
		return b
	}
	return a
}

// mergeExtra merges unknown fields: one that a side added, changed or removed. a's are kept where
// both sides did.
func mergeExtra(o, a, b *File) (list []Extra) {
	for _, x := range a.entry.Extra {
		inBase, inB := o.findExtra(x.Name), b.findExtra(x.Name)
		switch {
		case inBase == nil || x.raw != inBase.raw:
			list = append(list, x)
		case inB != nil:
			list = append(list, *inB)
		}
	}
	for _, x := range b.entry.Extra {
		if inBase := o.findExtra(x.Name); a.findExtra(x.Name) == nil && (inBase == nil || inBase.raw != x.raw) {
			list = append(list, x)
		}
	}
	return list
}

// findExtra returns the unknown field of that name; nil where there is none, or no file.
func (f *File) findExtra(name string) *Extra {
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

// commentsToAdd lists the comments of another file's front matter that neither f
// nor the base has.
func (f *File) commentsToAdd(other, base *File) []string {
	var list []string
	for line := range strings.Lines(other.src[other.headStart:other.headEnd]) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#") && !strings.Contains(f.src[:f.headEnd], text) && (base == nil || !strings.Contains(base.src, text)) {
			list = append(list, text)
		}
	}
	return list
}

// ErrFrontMatter says that one side of a merge removed the front matter of a file.
var ErrFrontMatter = errors.New("one side of the merge removed the front matter")

// MergeMarkdown merges two changes of a Markdown file as linemerge does, the front matter and the text each on
// its own, so that no line moves from one to the other. Line endings never make two lines differ. The result has
// Windows line endings only where both sides have them. Errors: ErrFrontMatter.
func MergeMarkdown(base, a, b string) (merged string, clean bool, err error) {
	windows := strings.Contains(a, "\r\n") && strings.Contains(b, "\r\n")
	headO, textO, hasO := yamltext.CutFrontMatter(base)
	headA, textA, hasA := yamltext.CutFrontMatter(a)
	headB, textB, hasB := yamltext.CutFrontMatter(b)
	if hasO && hasA != hasB {
		return "", false, ErrFrontMatter
	}
	merged, clean = linemerge.UnionMerge(textO, textA, textB)
	if hasA || hasB {
		head, same := linemerge.UnionMerge(headO, headA, headB)
		merged, clean = "---\n"+head+"---\n"+merged, clean && same
	}
	if windows {
		merged = strings.ReplaceAll(merged, "\n", "\r\n")
	}
	return merged, clean, nil
}
