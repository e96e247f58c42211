package merge

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// mergeItem merges an item three-way; nil is none.
func (d *docMerge) mergeItem(b, o, t *memfile.Item) *memfile.Item {
	switch {
	case o == nil && t == nil:
		return nil
	case o == nil || t == nil:
		return d.mergeRemoved(b, cmp.Or(o, t))
	case memfile.SameItem(*o, *t) && slices.Equal(o.Allow, t.Allow):
		return cloneOf(o)
	}
	out := d.mergeBoth(b, *o, *t)
	return &out
}

// mergeRemoved decides over an item that one side has not: it stays where it is
// new, or where its value was changed while the other side took it out.
func (d *docMerge) mergeRemoved(b, now *memfile.Item) *memfile.Item {
	switch {
	case b == nil:
		return cloneOf(now)
	case memfile.SameWritten(b.Value, now.Value) && len(addRivals(nil, now.Value, newRivals(b.Conflict, now.Conflict))) == 0:
		return nil
	}
	d.note(AsideKept, now.Key)
	return cloneOf(now)
}

// mergeBoth merges two versions of an item; a nil base is none. It is the only place where a merge decides between two values
// of a key: a person's before an agent's, then higher confidence, then later day, then smaller canonical JSON. What goes with a
// value (source, confidence, by, updated, expires, doubt) comes from the side whose value it is.
func (d *docMerge) mergeBoth(base *memfile.Item, o, t memfile.Item) memfile.Item {
	var b memfile.Item
	var known *labels.Labels
	var was *labels.Side
	if base != nil {
		side := sideOf(*base)
		b, known, was = *base, &base.Labels, &side
	}
	win, lose := o, t
	one, two := sideOf(o), sideOf(t)
	same := one.Content == two.Content
	second, disputed := labels.ChooseSide(was, one, two, betterItem(o, t))
	if second {
		win, lose = t, o
	}
	out := memfile.Document{Items: []memfile.Item{win}}.Clone().Items[0]
	out.Labels = labels.Merge(known, win.Labels, lose.Labels, same)
	doubt := win.HasTag(memfile.TagNeedsConfirmation) || base == nil && same && out.HasTag(memfile.TagNeedsConfirmation)
	out.Tags = withTag(memfile.WithoutDoubt(out.Tags), doubt)
	out.Allow = labels.MergeSet(b.Allow, win.Allow, lose.Allow)
	out.Extra = d.mergeFields(b.Extra, win.Extra, lose.Extra)
	out.Conflict = mergeRivals(b.Conflict, o.Conflict, t.Conflict)
	added := labels.MergeValue(base != nil, b.Added, o.Added, t.Added, earlier(o.Added, t.Added))
	if disputed {
		added = earlier(o.Added, t.Added) // the day of a value that loses is not the winner's
	}
	if added != out.Added && added != "" {
		if out.Updated == "" && (out.Added == "" || added < out.Added) {
			out.Updated = out.Added // the item's day stays
		}
		out.Added = added
	}
	if disputed {
		d.note(AsideConflict, out.Key)
		out.Conflict = AddRival(out.Conflict, lose.Rival())
		doubted := base != nil && lose.HasTag(memfile.TagNeedsConfirmation) && !b.HasTag(memfile.TagNeedsConfirmation) // by a merge before this one
		if doubted && !win.Outranks(lose.Labels) || doubtful(win, lose) {
			out.Tags = withTag(out.Tags, true)
		}
	}
	out.Conflict = addRivals(nil, out.Value, out.Conflict)
	return out
}

// earlier is the earlier of two days, of which "" is none.
func earlier(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return min(a, b)
}

// sideOf is an item as labels.ChooseSide compares it.
func sideOf(it memfile.Item) labels.Side {
	return labels.Side{Labels: it.Labels, Content: it.Value.Canonical(), Day: it.Day(), Unconfirmed: it.HasTag(memfile.TagNeedsConfirmation)}
}

func withTag(tags []string, doubt bool) []string {
	if doubt && !slices.Contains(tags, memfile.TagNeedsConfirmation) {
		tags = append(tags, memfile.TagNeedsConfirmation)
	}
	return tags
}

// mergeFields merges unknown fields by name. Of two new values the first side's stays.
func (d *docMerge) mergeFields(base, first, second []memfile.Field) []memfile.Field {
	var out []memfile.Field
	for _, f := range joinFields(first, second) {
		b, i, j := fieldIndex(base, f.Name), fieldIndex(first, f.Name), fieldIndex(second, f.Name)
		same := func(list []memfile.Field, at int, v memfile.Value) bool {
			return at >= 0 && memfile.SameWritten(list[at].Value, v)
		}
		switch {
		case i < 0 || j < 0:
			if same(base, b, f.Value) {
				continue // taken out on the other side
			}
		case same(second, j, first[i].Value), same(base, b, second[j].Value):
		case same(base, b, first[i].Value):
			f = second[j]
		default:
			d.note(AsideField, f.Name)
		}
		out = append(out, f)
	}
	return out
}
