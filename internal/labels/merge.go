package labels

import (
	"cmp"
	"slices"
	"strings"
)

// Side is one version of a record as a merge sees it.
type Side struct {
	Labels
	Content     string // equal in two versions that say the same
	Day         string // when it was said or changed last
	Unconfirmed bool   // it is tagged as unconfirmed
}

// Outranks reports whether only l is a person's, so that nothing of the other may hide or change it.
func (l Labels) Outranks(other Labels) bool { return l.IsStated() && !other.IsStated() }

// CompareRank orders two versions of a record, the one that wins first: a person's before an agent's, then
// the higher confidence, then the later day.
func CompareRank(a, b Side) int {
	switch {
	case a.Outranks(b.Labels):
		return -1
	case b.Outranks(a.Labels):
		return 1
	}
	if c := ConfidenceRank(b.Confidence) - ConfidenceRank(a.Confidence); c != 0 {
		return c
	}
	return strings.Compare(b.Day, a.Day)
}

// ChooseSide says whether the second of two versions wins where they differ, and whether both changed the
// text, each in another way. The one that changed it wins, else the one of higher rank; tie orders versions of
// one rank. A nil base is none.
func ChooseSide(base *Side, a, b Side, tie int) (second, disputed bool) {
	first, second := true, true
	if base != nil {
		first, second = whichChanged(*base, a, b)
	}
	if first != second {
		return second, false
	}
	rank := cmp.Or(CompareRank(a, b), tie)
	return rank > 0, first && a.Content != b.Content
}

// whichChanged reports which of two versions changed the text or, if both have the same text, which
// changed what goes with it.
func whichChanged(base, a, b Side) (first, second bool) {
	first, second = a.Content != base.Content, b.Content != base.Content
	if first == second && a.Content == b.Content {
		return !a.sameLabels(base), !b.sameLabels(base)
	}
	return first, second
}

// sameLabels reports whether what goes with a text is the same.
func (s Side) sameLabels(o Side) bool {
	return s.Source == o.Source && s.Confidence == o.Confidence && s.By == o.By && s.Day == o.Day && s.Expires == o.Expires && s.Unconfirmed == o.Unconfirmed
}

// Merge returns the labels of a record of which two versions were merged; a nil base is none. With equal
// texts each label takes the side that changed it, and win's where both did. With different texts, source,
// confidence, day of expiry and writer are win's, since they go with the text. Lists keep what both sides
// have and what one side added. A flag that both changed is set. Nothing of an agent's version changes
// what a person stated.
func Merge(base *Labels, win, lose Labels, sameText bool) Labels {
	out := win.Clone()
	known, joins := base != nil, !win.Outranks(lose)
	if !known {
		base = &Labels{}
	}
	was, theirs := base.Fields(), lose.Fields()
	for i, f := range out.Fields() {
		switch at := f.At.(type) {
		case *int:
			if sameText || !known {
				*at = max(*at, *theirs[i].At.(*int))
			}
		case *string:
			lost := *theirs[i].At.(*string)
			if at == &out.Seen && (sameText || !known) {
				*at = max(*at, lost)
			} else if at != &out.Seen && sameText && known && joins {
				*at = MergeValue(true, *was[i].At.(*string), *at, lost, *at)
			}
		case *[]string:
			if joins {
				*at = MergeSet(*was[i].At.(*[]string), *at, *theirs[i].At.(*[]string))
			}
		case *bool:
			if joins {
				*at = MergeValue(true, *was[i].At.(*bool), *at, *theirs[i].At.(*bool), true)
			}
		}
	}
	return out
}

// MergeValue returns the side that changed; other if both did, or if there is no base, and they differ.
func MergeValue[T comparable](hasBase bool, base, a, b, other T) T {
	switch {
	case a == b, hasBase && b == base:
		return a
	case hasBase && a == base:
		return b
	}
	return other
}

// MergeSet keeps what both lists have, and what one has that the base had not.
func MergeSet[T comparable](base, first, second []T) []T {
	var out []T
	for i, list := range [2][]T{first, second} {
		other := [2][]T{second, first}[i]
		for _, x := range list {
			if !slices.Contains(out, x) && (slices.Contains(other, x) || !slices.Contains(base, x)) {
				out = append(out, x)
			}
		}
	}
	return out
}
