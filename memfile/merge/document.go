package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// docMerge merges two documents by key.
type docMerge struct {
	hasBase bool
	alone   bool // both sides are one file, of which text was merged
	out     memfile.Document
	aside   []Aside
}

// side is a document by key, each key once.
type side struct {
	items map[string]*memfile.Item
	tombs map[string]*memfile.Tombstone
}

func itemsOf(doc memfile.Document) side {
	s := side{items: map[string]*memfile.Item{}, tombs: map[string]*memfile.Tombstone{}}
	byKey := map[string][]memfile.Item{}
	for _, it := range doc.Items {
		it.Line, it.Column = 0, 0
		byKey[it.Key] = append(byKey[it.Key], it)
	}
	for key, list := range byKey {
		it := list[0]
		if len(list) > 1 {
			it = SameKey(list)
		}
		s.items[key] = &it
	}
	for _, t := range doc.Deletions {
		t.Line, t.Column = 0, 0
		key := memfile.TombstoneKey(t)
		if old := s.tombs[key]; old != nil {
			t = JoinTombstones(*old, t)
		}
		s.tombs[key] = &t
	}
	return s
}

// mergeDocuments merges three-way; base is nil where there is none. The result
// does not depend on which side is ours. Its entries stand in key order, with
// no lines.
func mergeDocuments(base *memfile.Document, ours, theirs memfile.Document) docMerge {
	d := docMerge{hasBase: base != nil}
	d.merge(base, ours, theirs)
	return d
}

func (d *docMerge) merge(base *memfile.Document, ours, theirs memfile.Document) {
	b := memfile.Document{}
	if base != nil {
		b = *base
	}
	d.out.Version = max(ours.Version, theirs.Version)
	d.out.Updated = max(ours.Updated, theirs.Updated)
	baseSet, ourSet, theirSet := b.Settings.Switches(), ours.Settings.Switches(), theirs.Settings.Switches()
	for i, sw := range d.out.Settings.Switches() {
		*sw.At = labels.MergeValue(d.hasBase, *baseSet[i].At, *ourSet[i].At, *theirSet[i].At, false)
	}
	for i := range d.out.Unknown {
		first, second := ours.Unknown[i], theirs.Unknown[i]
		if strings.Compare(memfile.Value{Map: first, Kind: memfile.Map}.Canonical(), memfile.Value{Map: second, Kind: memfile.Map}.Canonical()) > 0 {
			first, second = second, first // so that neither side is special
		}
		d.out.Unknown[i] = d.mergeFields(b.Unknown[i], first, second)
	}
	both := slices.Concat(ours.Deletions, theirs.Deletions)
	b.Deletions, ours.Deletions, theirs.Deletions = hashed(b, both), hashed(ours, both), hashed(theirs, both)
	was, one, two := itemsOf(b), itemsOf(ours), itemsOf(theirs)
	keys := map[string]bool{}
	for _, s := range []side{one, two} {
		for key := range s.items {
			keys[key] = true
		}
		for key := range s.tombs {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		d.mergeKey(key, was, one, two)
	}
	for _, t := range d.out.Deletions {
		d.dropForgotten(t)
	}
}

// dropForgotten drops an agent's value from a conflict if the tombstone of a key that has another value recognises it.
func (d *docMerge) dropForgotten(t memfile.Tombstone) {
	i := slices.IndexFunc(d.out.Items, func(it memfile.Item) bool { return it.Key == t.FormerKey() })
	if i < 0 {
		return
	}
	it := &d.out.Items[i]
	it.Conflict = slices.DeleteFunc(slices.Clone(it.Conflict), func(r memfile.Rival) bool { return r.By != "" && t.Recognises(r.Value.Plain()) })
	if len(it.Conflict) == 0 {
		d.aside = slices.DeleteFunc(d.aside, func(a Aside) bool { return a == Aside{AsideConflict, it.Key} })
	}
}

// hashed returns the tombstones of a document. If one of both sides' has hashes, they take the place of the texts that
// an earlier version left: otherwise the merge would bring back a text that one side keeps as a hash. The base is
// hashed as well; otherwise each hashed tombstone would count as changed.
func hashed(doc memfile.Document, both []memfile.Tombstone) []memfile.Tombstone {
	salt := ""
	for _, t := range both {
		if s := t.Salt(); s != "" && (salt == "" || s < salt) {
			salt = s
		}
	}
	list := slices.Clone(doc.Deletions)
	for i, t := range list {
		if salt == "" || t.Value == nil {
			continue
		}
		list[i] = t.Hashed(salt)
		same := func(o memfile.Tombstone) bool { return o.Value == nil && o.OfEntry() && o.Recognises(t.Value.Plain()) }
		if j := slices.IndexFunc(both, same); j >= 0 && t.OfEntry() {
			list[i].Key, list[i].Hashes = both[j].Key, both[j].Hashes
		}
	}
	return list
}

// mergeKey merges what stands under one key.
func (d *docMerge) mergeKey(key string, was, one, two side) {
	b, o, t := was.items[key], one.items[key], two.items[key]
	bt, ot, tt := was.tombs[key], one.tombs[key], two.tombs[key]
	item := d.mergeItem(b, o, t)
	tomb := d.mergeTombstone(bt, ot, tt)
	if item != nil && tomb != nil && (d.forgot(bt, ot, o) || d.forgot(bt, tt, t) || tomb.Removed >= item.Day()) {
		d.forget(tomb, b, o, t)
		item = nil
	}
	if item != nil {
		d.out.Items = append(d.out.Items, *item)
	}
	if tomb != nil {
		d.out.Deletions = append(d.out.Deletions, *tomb)
	}
}

// forgot reports whether a side forgot the key since the base: its tombstone differs from the
// base's, even if both have one day. Without a base only the days decide.
func (d *docMerge) forgot(base, now *memfile.Tombstone, item *memfile.Item) bool {
	return d.hasBase && now != nil && item == nil && (base == nil || !memfile.SameTombstone(*base, *now))
}

// forget keeps in the tombstone the values that a side changed, except an agent's own.
func (d *docMerge) forget(tomb *memfile.Tombstone, b *memfile.Item, sides ...*memfile.Item) {
	tomb.Conflict = slices.Clone(tomb.Conflict)
	d.aside = slices.DeleteFunc(d.aside, func(a Aside) bool { // it does not stay
		return a.Why == AsideKept && slices.ContainsFunc(sides, func(it *memfile.Item) bool { return it != nil && it.Key == a.Key })
	})
	for _, it := range sides {
		if it == nil {
			continue
		}
		var list, old []memfile.Rival
		if b != nil {
			old = append(slices.Clone(b.Conflict), b.Rival())
		}
		switch {
		case d.hasBase:
			list = newRivals(old, it.Conflict)
			if b == nil || !memfile.Equal(b.Value, it.Value) { // be it one of the base's conflict, which that side chose
				list = append(list, it.Rival())
			}
		case d.alone || tomb.Value != nil: // else it may be the very value that was forgotten
			list = append(slices.Clone(it.Conflict), it.Rival())
		}
		list = slices.DeleteFunc(list, func(r memfile.Rival) bool { return r.By == memfile.ByAutomatic })
		if tomb.Value != nil {
			tomb.Conflict = addRivals(tomb.Conflict, *tomb.Value, list)
		} else {
			for _, r := range list {
				tomb.Conflict = AddRival(tomb.Conflict, r)
			}
		}
		if b == nil || !memfile.Equal(b.Value, it.Value) {
			d.note(AsideForgotten, it.Key)
		}
	}
}

func (d *docMerge) note(why, key string) {
	if a := (Aside{why, key}); !slices.Contains(d.aside, a) {
		d.aside = append(d.aside, a)
	}
}

// addRivals adds the rivals that differ from the value.
func addRivals(list []memfile.Rival, value memfile.Value, more []memfile.Rival) []memfile.Rival {
	for _, r := range more {
		list = addOther(list, value, r)
	}
	return list
}

// newRivals are those of now whose values are not among the old ones.
func newRivals(old, now []memfile.Rival) []memfile.Rival {
	return slices.DeleteFunc(slices.Clone(now), func(r memfile.Rival) bool { return rivalIndex(old, r) >= 0 })
}

func rivalIndex(list []memfile.Rival, r memfile.Rival) int {
	canonical := r.Value.Canonical()
	return slices.IndexFunc(list, func(o memfile.Rival) bool { return o.Value.Canonical() == canonical })
}

// mergeRivals keeps what both sides have, and what one has that the base had not.
func mergeRivals(base, ours, theirs []memfile.Rival) []memfile.Rival {
	var list []memfile.Rival
	for i, s := range [2][]memfile.Rival{ours, theirs} {
		other := [2][]memfile.Rival{theirs, ours}[i]
		for _, r := range s {
			if rivalIndex(other, r) >= 0 || rivalIndex(base, r) < 0 {
				list = AddRival(list, r)
			}
		}
	}
	return list
}

func (d *docMerge) mergeTombstone(b, o, t *memfile.Tombstone) *memfile.Tombstone {
	switch {
	case sameOrNone(o, t, memfile.SameTombstone), d.hasBase && sameOrNone(b, t, memfile.SameTombstone):
		return cloneOf(o)
	case d.hasBase && sameOrNone(b, o, memfile.SameTombstone):
		return cloneOf(t)
	case o == nil || t == nil: // forgotten anew, whatever the other side did
		return cloneOf(cmp.Or(o, t))
	}
	joined := JoinTombstones(*o, *t)
	var had []memfile.Rival
	if b != nil {
		had = b.Conflict
	}
	joined.Conflict = mergeRivals(had, o.Conflict, t.Conflict)
	if joined.Value != nil {
		joined.Conflict = addRivals(nil, *joined.Value, joined.Conflict)
	}
	return &joined
}

func sameOrNone[T any](a, b *T, same func(a, b T) bool) bool {
	return a == nil && b == nil || a != nil && b != nil && same(*a, *b)
}

func cloneOf[T any](x *T) *T {
	if x == nil {
		return nil
	}
	y := *x
	return &y
}

// JoinTombstones makes one of two of the same key: the later day's.
func JoinTombstones(a, b memfile.Tombstone) memfile.Tombstone {
	order := strings.Compare(b.Removed, a.Removed)
	if order == 0 {
		order = strings.Compare(memfile.TombstoneText(a), memfile.TombstoneText(b))
	}
	if order > 0 {
		a, b = b, a
	}
	if a.Value == nil {
		a.Value = b.Value
	}
	if len(a.Hashes) == 0 {
		a.Hashes = b.Hashes
	}
	if a.Reason == "" {
		a.Reason = b.Reason
	}
	a.Conflict = slices.Clone(a.Conflict)
	for _, r := range b.Conflict {
		a.Conflict = AddRival(a.Conflict, r)
	}
	a.Extra = joinFields(a.Extra, b.Extra)
	return a
}

// joinFields adds what the first has not.
func joinFields(a, b []memfile.Field) []memfile.Field {
	a = slices.Clone(a)
	for _, f := range b {
		if fieldIndex(a, f.Name) < 0 {
			a = append(a, f)
		}
	}
	return a
}

func fieldIndex(list []memfile.Field, name string) int {
	return slices.IndexFunc(list, func(f memfile.Field) bool { return f.Name == name })
}
