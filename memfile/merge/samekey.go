package merge

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// SameKey merges items of one key without a base, by mergeBoth. The result does not depend on the order of items, except that
// Line and Column are those of the first. Allow is the winner's. No items give the zero Item.
func SameKey(items []memfile.Item) memfile.Item {
	if len(items) == 0 {
		return memfile.Item{}
	}
	ranked := slices.Clone(items)
	slices.SortStableFunc(ranked, betterItem)
	win := memfile.Document{Items: ranked[:1]}.Clone().Items[0]
	for _, it := range ranked[1:] {
		win = (&docMerge{}).mergeBoth(nil, win, it)
	}
	win.Allow = ranked[0].Allow
	win.Line, win.Column = items[0].Line, items[0].Column
	return win
}

func addOther(list []memfile.Rival, value memfile.Value, r memfile.Rival) []memfile.Rival {
	if r.Value.Canonical() == value.Canonical() {
		return list
	}
	return AddRival(list, r)
}

// doubtful reports whether a person has to choose between the values of two items.
func doubtful(win, lose memfile.Item) bool {
	return !win.Outranks(lose.Labels) && (win.Confidence != memfile.High || lose.Confidence != memfile.High)
}

// betterItem orders items, the winner first. Beyond value it compares the whole
// item, so that the order of equal values never matters.
func betterItem(a, b memfile.Item) int {
	if c := labels.CompareRank(sideOf(a), sideOf(b)); c != 0 {
		return c
	}
	if c := strings.Compare(a.Value.Canonical(), b.Value.Canonical()); c != 0 {
		return c
	}
	return strings.Compare(memfile.RenderItem(a), memfile.RenderItem(b))
}

// AddRival puts r into the list: each value once, sorted by canonical JSON. Of
// two with one value the better stays (higher confidence, then later day), with
// the larger Signals and the later Seen of both. The list given is not changed.
func AddRival(list []memfile.Rival, r memfile.Rival) []memfile.Rival {
	list = slices.Clone(list)
	canonical := r.Value.Canonical()
	at, found := slices.BinarySearchFunc(list, canonical, func(o memfile.Rival, c string) int { return strings.Compare(o.Value.Canonical(), c) })
	if !found {
		at = slices.IndexFunc(list, func(o memfile.Rival) bool { return o.Value.Canonical() == canonical })
	}
	if at >= 0 && at < len(list) && list[at].Value.Canonical() == canonical {
		list[at] = betterRival(list[at], r)
	} else {
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b memfile.Rival) int { return strings.Compare(a.Value.Canonical(), b.Value.Canonical()) })
	return list
}

func betterRival(a, b memfile.Rival) memfile.Rival {
	best := a
	order := strings.Compare(b.Added, a.Added)
	if order == 0 {
		order = strings.Compare(a.Source+"\x00"+a.By, b.Source+"\x00"+b.By)
	}
	if c := labels.ConfidenceRank(b.Confidence) - labels.ConfidenceRank(a.Confidence); c != 0 {
		order = c
	}
	if order > 0 {
		best = b
	}
	best.Signals, best.Seen = max(a.Signals, b.Signals), max(a.Seen, b.Seen)
	if a.By == "" || b.By == "" {
		best.By = "" // a person's word stands over an automatic one
	}
	return best
}

// Duplicates makes one item of several in the document that share the key, and returns its
// index; -1 if there is none.
func Duplicates(doc *memfile.Document, key string) int {
	has := func(it memfile.Item) bool { return it.Key == key }
	var same []memfile.Item
	for _, it := range doc.Items {
		if has(it) {
			same = append(same, it)
		}
	}
	if len(same) < 2 {
		return slices.IndexFunc(doc.Items, has)
	}
	winner := SameKey(same)
	for _, it := range same {
		if memfile.Equal(it.Value, winner.Value) {
			winner.Line = it.Line // the winner changes where it stands
			break
		}
	}
	doc.Items = slices.DeleteFunc(doc.Items, func(it memfile.Item) bool { return has(it) && it.Line != winner.Line })
	i := slices.IndexFunc(doc.Items, has)
	doc.Items[i] = winner
	return i
}
