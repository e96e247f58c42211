package view

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// Stale lists the entries with an anchor that does not hold: what stood there
// has changed, or is gone. One whose lines only moved holds.
func Stale(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (StaleResult, error) {
	res := StaleResult{Schema: memory.SchemaNumber, Entries: []Record{}}
	memory.WarnMissingFile(ctx, ss, scope)
	list, err := Entries(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, e := range list {
		if len(e.Anchors) == 0 || e.Scope == store.User {
			continue
		}
		res.Checked++
		v, stale := EntryRecord(e), false
		for i := range v.Anchors {
			a := &v.Anchors[i]
			a.State, a.Now = contents.AnchorState(ss, e.Anchors[i])
			stale = stale || a.State == contents.AnchorChanged || a.State == contents.AnchorGone
		}
		if stale {
			res.Entries = append(res.Entries, v)
		}
	}
	res.Entries, res.Withheld = forReader(who, res.Entries)
	return res, nil
}

// IsStale reports whether agents have to be told that the entry may hold no more: a
// summary that lost lines, or an anchor that does not hold.
func IsStale(ss *store.Stores, e *contents.Entry) bool {
	return e.Stale || e.Scope != store.User && slices.ContainsFunc(e.Anchors, func(a entry.Anchor) bool {
		state, _ := contents.AnchorState(ss, a)
		return state == contents.AnchorChanged || state == contents.AnchorGone
	})
}

// listed is the entry's view in a list of its kind, marked where it is stale.
func listed(ss *store.Stores, e LiveEntry) Record {
	v := EntryRecord(e)
	v.Stale = IsStale(ss, &e.Entry)
	return v
}

// StaleResult lists the entries whose anchors do not hold any more.
type StaleResult struct {
	Schema  int      `json:"schema"`
	Checked int      `json:"checked_count"`
	Entries []Record `json:"entries"`
	memory.Withheld
}
