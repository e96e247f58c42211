package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// setAside are the values that merges kept with the tombstone of a key, as items, less
// those that were purged.
func setAside(doc memfile.Document, keys []string) (items []memfile.Item) {
	for _, key := range keys {
		t := contents.Tombstone(doc, key)
		if t == nil {
			continue
		}
		for _, r := range t.Conflict {
			if notPurged(r.Value) == nil {
				items = append(items, memfile.Item{Key: t.Key, Value: r.Value, Added: r.Added, Source: r.Source, Confidence: r.Confidence, By: r.By, Signals: r.Signals, Seen: r.Seen})
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
	var none *contents.NoHistoryError
	if err != nil && !errors.As(err, &none) {
		return nil, nil, err
	}
	it := merge.SameKey(items)
	var notes []string
	if n := len(it.Conflict); n > 0 {
		key := policy.Inert(redacted(it.Key))
		notes = append(notes, fmt.Sprintf("%s has %d more of the values that were set aside in conflict: memctl review lists them", key, n))
	}
	return &it, notes, nil
}
