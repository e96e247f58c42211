package view

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// Earlier is the item as of the revision; without one, the newest version of
// it in history that is not how it stands now, nor purged where there is one that was
// not; from the journal with notes of what else that has. Errors: *memory.Refusal, where the
// journal has several and none of them is this branch's.
func Earlier(ctx context.Context, st *store.Store, key, rev string, journal bool) (*memfile.Item, []string, error) {
	keys := slices.Compact([]string{key, memory.NormalKey(key)})
	pick := func(doc memfile.Document) *memfile.Item {
		for _, key := range keys {
			if i := merge.Duplicates(&doc, key); i >= 0 {
				return &doc.Items[i]
			}
		}
		return nil
	}
	if rev != "" {
		doc, _, err := contents.DocumentAt(ctx, st, rev)
		return pick(doc), nil, err
	}
	now, err := contents.Document(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	if journal {
		j := &journalled{st: st, keys: keys, pick: pick, now: now}
		return j.item(ctx)
	}
	found := picked{current: pick(now)}
	if aside := setAside(now, keys); found.current == nil && len(aside) > 0 {
		return asideItem(ctx, st, aside, pick)
	}
	err = contents.History(ctx, st, func(v contents.Version) bool {
		return !found.take(pick(v.After())) && !found.take(pick(v.Before()))
	})
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	return cmp.Or(found.item, found.hole), nil, err
}

// picked is the first item that is not how it stands now.
type picked struct{ current, item, hole *memfile.Item } // hole: its value was purged

// take looks at an item, and reports whether it is the one.
func (p *picked) take(it *memfile.Item) bool {
	switch {
	case it == nil || p.item != nil || p.current != nil && reflect.DeepEqual(it.Value, p.current.Value):
	case memory.NotPurged(it.Value) != nil:
		p.hole = cmp.Or(p.hole, it)
	default:
		p.item = it
	}
	return p.item != nil
}

// setAside are the values that merges kept with the tombstone of a key, as items, less
// those that were purged.
func setAside(doc memfile.Document, keys []string) (items []memfile.Item) {
	for _, key := range keys {
		t := contents.Tombstone(doc, key)
		if t == nil {
			continue
		}
		for _, r := range t.Conflict {
			if memory.NotPurged(r.Value) == nil {
				items = append(items, memfile.Item{Key: t.Key, Value: r.Value, Added: r.Added, Labels: labels.Labels{Source: r.Source, Confidence: r.Confidence, By: r.By, Signals: r.Signals, Seen: r.Seen}})
			}
		}
	}
	return items
}

// asideItem makes one item of values that were set aside, with what each had beside its
// value where history tells: one stands, the others are in conflict with it.
func asideItem(ctx context.Context, st *store.Store, items []memfile.Item, pick func(memfile.Document) *memfile.Item) (*memfile.Item, []string, error) {
	known := make([]bool, len(items))
	look := func(was *memfile.Item) {
		i := slices.IndexFunc(items, func(it memfile.Item) bool { return was != nil && memfile.Equal(it.Value, was.Value) })
		if i < 0 || known[i] {
			return
		}
		items[i], known[i] = *was, true
		items[i].Line, items[i].Column, items[i].Conflict = 0, 0, nil
	}
	err := contents.History(ctx, st, func(v contents.Version) bool {
		look(pick(v.After()))
		look(pick(v.Before()))
		return slices.Contains(known, false)
	})
	if err != nil && !fault.Is(err, fault.NoHistory) {
		return nil, nil, err
	}
	it := merge.SameKey(items)
	var notes []string
	if n := len(it.Conflict); n > 0 {
		key := policy.Inert(memory.Redacted(it.Key))
		notes = append(notes, fmt.Sprintf("%s has more values in conflict (%d); memctl review lists them", key, n))
	}
	return &it, notes, nil
}

// LostEntry is an entry that can be brought back: one that was moved to deleted, or
// one that only git has.
type LostEntry struct {
	Store   *store.Store
	Path    string
	Src     []byte
	Deleted bool // the file stands at path, below deleted
}

// FindLost looks for a deleted entry of that id, then for one that history has;
// or, with journal, one that only the journal has; nil where there is none, or
// the text is no id.
func FindLost(ctx context.Context, stores []*store.Store, id string, journal bool) (*LostEntry, error) {
	if !memory.MatchesID(id, id) || memfile.KeyForm(id) {
		return nil, nil
	}
	fits := func(p entry.Place) bool { return memory.MatchesID(p.ID, id) }
	for _, st := range stores {
		files, _, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if p, _ := entry.ParsePath(f.Path); f.Deleted && fits(p) {
				src, err := contents.EntryBytes(st, f.Path)
				return &LostEntry{st, f.Path, src, true}, err
			}
		}
		find := func(ctx context.Context, fits func(entry.Place) bool) (string, []byte, error) {
			return contents.LostEntry(ctx, st, func(_ string, p entry.Place) bool { return !p.Deleted && fits(p) })
		}
		if journal {
			find = FromJournal(st)
		}
		name, src, err := find(ctx, fits)
		if fault.Is(err, fault.NoHistory) {
			continue
		}
		if err != nil || name != "" {
			return &LostEntry{st, name, src, false}, err
		}
	}
	return nil, nil
}
