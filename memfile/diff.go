package memfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/labels"
)

// Delta is one difference between two documents, for log, diff, undo and announcements.
type Delta struct {
	Kind   string // "item", "tombstone" or "setting"
	Key    string // the item's or tombstone's key ("" for a tombstone by value); the setting's name
	Before *Item  // nil: not there
	After  *Item
	// for tombstones
	TombBefore, TombAfter *Tombstone
	// for settings: the text, "true"/"false"
	SettingBefore, SettingAfter string
}

// ShownKey returns the key, "" for the tombstone of an entry's text or of a value alone: its key names nothing that a person knows.
func (d Delta) ShownKey() string {
	for _, t := range []*Tombstone{d.TombBefore, d.TombAfter} {
		if t != nil && (t.OfEntry() || t.FormerKey() != "") {
			return ""
		}
	}
	return d.Key
}

// Kinds of delta.
const (
	DeltaItem      = "item"
	DeltaTombstone = "tombstone"
	DeltaSetting   = "setting"
)

// Diff lists the differences between two documents, in the order: settings,
// items by key, tombstones by key. Lines, columns, allowances, version, updated
// and the order of entries do not count. Of entries with one key, equal ones
// are paired first, then the rest in their order.
func Diff(before, after Document) []Delta {
	var list []Delta
	is := after.Settings.Switches()
	for i, was := range before.Settings.Switches() {
		if b, a := *was.At, *is[i].At; a != b {
			list = append(list, Delta{Kind: DeltaSetting, Key: was.Name, SettingBefore: strconv.FormatBool(b), SettingAfter: strconv.FormatBool(a)})
		}
	}
	pair(before.Items, after.Items, itemKey, SameItem, func(b, a *Item) {
		list = append(list, Delta{Kind: DeltaItem, Key: itemKey(*cmp.Or(a, b)), Before: b, After: a})
	})
	pair(before.Deletions, after.Deletions, TombstoneKey, SameTombstone, func(b, a *Tombstone) {
		list = append(list, Delta{Kind: DeltaTombstone, Key: cmp.Or(a, b).Key, TombBefore: b, TombAfter: a})
	})
	return list
}

// Meaning is a hash of what the document says: documents with the same one have no Diff.
func (d Document) Meaning() string {
	said := []string{fmt.Sprint(d.Settings)}
	add := func(kind string, fields []Field) {
		slices.SortStableFunc(fields, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
		said = append(said, kind+flowMap(fields))
	}
	for _, it := range d.Items {
		add(DeltaItem, ItemFields(it))
	}
	for _, t := range d.Deletions {
		add(DeltaTombstone, TombstoneFields(t))
	}
	slices.Sort(said)
	sum := sha256.Sum256([]byte(strings.Join(said, "\n")))
	return hex.EncodeToString(sum[:])
}

func itemKey(it Item) string { return it.Key }

// TombstoneKey is the tombstone's key, or for a tombstone by value, which has none, a text
// that no key is.
func TombstoneKey(t Tombstone) string {
	if t.Key == "" && t.Value != nil {
		return "\x00" + t.Value.Canonical()
	}
	return t.Key
}

// pair calls differ for each pair that differs and each entry without another,
// by key.
func pair[T any](before, after []T, key func(T) string, same func(a, b T) bool, differ func(b, a *T)) {
	for len(before) > 0 && len(after) > 0 && same(before[0], after[0]) { // most versions differ in little
		before, after = before[1:], after[1:]
	}
	index := make(map[string][2][]*T, len(before))
	for side, entries := range [2][]T{before, after} {
		for i := range entries {
			k := key(entries[i])
			e := index[k]
			e[side] = append(e[side], &entries[i])
			index[k] = e
		}
	}
	keys := make([]string, 0, len(index))
	for k := range index {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		b, a := dropEqual(index[k][0], index[k][1], same)
		for i := range max(len(b), len(a)) {
			var before, after *T
			if i < len(b) {
				before = b[i]
			}
			if i < len(a) {
				after = a[i]
			}
			differ(before, after)
		}
	}
}

func dropEqual[T any](before, after []*T, same func(a, b T) bool) (b, a []*T) {
	a = slices.Clone(after)
	for _, x := range before {
		if i := slices.IndexFunc(a, func(y *T) bool { return same(*x, *y) }); i >= 0 {
			a = slices.Delete(a, i, i+1)
			continue
		}
		b = append(b, x)
	}
	return b, a
}

// SameItem reports whether both items are written with the same fields.
func SameItem(a, b Item) bool {
	plain := len(a.Conflict)+len(a.Extra)+len(b.Conflict)+len(b.Extra) == 0
	return plain && a.Key == b.Key && a.Added == b.Added && a.Updated == b.Updated && SameWritten(a.Value, b.Value) && labels.Same(a.Labels, b.Labels, 0) ||
		SameFields(ItemFields(a), ItemFields(b), SameWritten)
}

// SameTombstone is SameItem for tombstones.
func SameTombstone(a, b Tombstone) bool {
	return SameFields(TombstoneFields(a), TombstoneFields(b), SameWritten)
}

// SameFields reports whether both lists have the same names with the same values, by
// the comparison given. The order does not count: an edit of a file keeps the order of
// the file rather than the one that is wanted.
func SameFields(a, b []Field, values func(a, b Value) bool) bool {
	same := func(x, y Field) bool { return x.Name == y.Name && values(x.Value, y.Value) }
	if len(a) != len(b) || slices.EqualFunc(a, b, same) {
		return len(a) == len(b)
	}
	byName := func(x, y Field) int { return strings.Compare(x.Name, y.Name) }
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortStableFunc(a, byName)
	slices.SortStableFunc(b, byName)
	return slices.EqualFunc(a, b, same)
}

// SameWritten is Equal, except that all ways to write null count as one and a day is
// the same as text and as a plain scalar.
func SameWritten(a, b Value) bool { return sameBut(a, b, plainDay) }

// SameRead is Equal for a value and what was read back of it: all nulls are equal, and so are a
// number that had to be written as a string and that string.
func SameRead(a, b Value) bool { return sameBut(a, b, textual) }

// sameBut is Equal, except that all nulls are equal, and so are scalars of two kinds with the same
// text if text accepts both.
func sameBut(a, b Value, text func(Value) bool) bool {
	if a.Kind == Null && b.Kind == Null {
		return true
	}
	if a.scalar() && b.scalar() && a.Kind != b.Kind {
		return a.Text == b.Text && text(a) && text(b)
	}
	same := func(x, y Value) bool { return sameBut(x, y, text) }
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.List, b.List, same) &&
		slices.EqualFunc(a.Map, b.Map, func(x, y Field) bool { return x.Name == y.Name && same(x.Value, y.Value) })
}

func textual(v Value) bool { return v.Kind == String || v.Kind == Number && !sureNumber(v.Text) }

func plainDay(v Value) bool {
	return v.Kind == String || v.Kind == Number && plainKind(v.Text) != Number
}

// FirstDifference names the first place where two documents differ in what is written, order
// included; "" where they do not. It never repeats a value.
func FirstDifference(a, b Document) string {
	switch {
	case a.Version != b.Version:
		return "the version"
	case a.Updated != b.Updated:
		return "the day of the last update"
	case a.Settings != b.Settings:
		return "the settings"
	case !slices.EqualFunc(a.Unknown[:], b.Unknown[:], func(x, y []Field) bool { return SameFields(x, y, SameRead) }):
		return "unknown fields"
	case len(a.Items) != len(b.Items):
		return fmt.Sprintf("%d items for %d", len(a.Items), len(b.Items))
	case len(a.Deletions) != len(b.Deletions):
		return fmt.Sprintf("%d deletions for %d", len(a.Deletions), len(b.Deletions))
	}
	for i := range a.Items {
		if !SameItem(a.Items[i], b.Items[i]) && !SameFields(ItemFields(a.Items[i]), ItemFields(b.Items[i]), SameRead) {
			return fmt.Sprintf("item %d", i+1)
		}
	}
	for i := range a.Deletions {
		if !SameFields(TombstoneFields(a.Deletions[i]), TombstoneFields(b.Deletions[i]), SameRead) {
			return fmt.Sprintf("deletion %d", i+1)
		}
	}
	return ""
}
