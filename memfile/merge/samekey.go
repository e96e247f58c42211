package merge

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// SameKey merges items of one key without a base: the winner (a person's before an
// agent's, then higher confidence, then later day, then smaller canonical JSON), with
// the other values in its Conflict. Tags, paths, commands and unknown fields are joined,
// except that a person's item takes none of them from an agent's. The larger Signals
// and the earlier Added stay, and Locked, Pinned and Ask if any has it that does not give
// way to a person's. Where two values
// differ the tag needs-confirmation is added, unless both were high, when the item
// stays as disputed, or only the winner is a person's. The result does not depend on
// the order of items, except that Line and Column are those of the first, and Allow
// of the winner. No items give the zero Item.
func SameKey(items []memfile.Item) memfile.Item {
	if len(items) == 0 {
		return memfile.Item{}
	}
	ranked := slices.Clone(items)
	slices.SortStableFunc(ranked, betterItem)
	win := memfile.Document{Items: ranked[:1]}.Clone().Items[0]
	win.Line, win.Column = items[0].Line, items[0].Column
	for _, it := range ranked[1:] {
		mergeInto(&win, it)
	}
	for _, it := range ranked[1:] {
		for _, r := range it.Conflict {
			win.Conflict = addOther(win.Conflict, win.Value, r)
		}
		if memfile.Equal(it.Value, win.Value) {
			continue
		}
		win.Conflict = addOther(win.Conflict, win.Value, it.Rival())
		if doubtful(win, it) && !win.HasTag(memfile.TagNeedsConfirmation) {
			win.Tags = append(win.Tags, memfile.TagNeedsConfirmation)
		}
	}
	win.Conflict = slices.DeleteFunc(win.Conflict, func(r memfile.Rival) bool { return r.Value.Canonical() == win.Value.Canonical() })
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
	if c := labels.Rank(sideOf(a), sideOf(b)); c != 0 {
		return c
	}
	if c := strings.Compare(a.Value.Canonical(), b.Value.Canonical()); c != 0 {
		return c
	}
	return strings.Compare(memfile.RenderItem(a), memfile.RenderItem(b))
}

// mergeInto joins what both items keep whichever value wins.
func mergeInto(win *memfile.Item, it memfile.Item) {
	if !memfile.Equal(it.Value, win.Value) {
		it.Tags = without(it.Tags) // a doubt about another value says nothing about the winner's
	}
	win.Labels = labels.Merge(nil, win.Labels, it.Labels, memfile.Equal(it.Value, win.Value))
	for _, f := range it.Extra {
		if !slices.ContainsFunc(win.Extra, func(g memfile.Field) bool { return g.Name == f.Name }) {
			win.Extra = append(win.Extra, memfile.Field{Name: f.Name, Value: f.Value.Clone()})
		}
	}
	if it.Added != "" && (win.Added == "" || it.Added < win.Added) {
		if win.Updated == "" {
			win.Updated = win.Added // the item's day stays
		}
		win.Added = it.Added
	}
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
