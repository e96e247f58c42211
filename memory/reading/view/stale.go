package view

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// Stale lists the entries with an anchor that does not hold: what stood there
// has changed, or is gone, or the text names a file that is gone. One whose lines only moved holds.
func Stale(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (StaleResult, error) {
	res := StaleResult{Entries: []Record{}}
	list, err := List(ctx, ss, who, Query{Scope: scope, Anchored: true})
	res.Checked, res.Withheld = len(list.Records)+list.WithheldCount, list.Withheld
	for _, r := range list.Records {
		if r.stored == nil {
			continue // a secret
		}
		stale := false
		r.Stale = r.stored.Entry.Stale
		for i, a := range r.stored.Entry.Anchors {
			state, now := contents.AnchorState(ctx, ss, a)
			r.Anchors[i].State, r.Anchors[i].Now = state, now
			stale = stale || isStale(r.stored.Entry, a, state)
		}
		if stale {
			res.Entries = append(res.Entries, r)
		}
	}
	return res, err
}

// IsStale reports whether agents have to be told that the entry may hold no more: a
// summary that lost lines, or an anchor that does not hold.
func IsStale(ctx context.Context, ss *store.Stores, e *contents.Entry) bool {
	return e.Stale || e.Scope != store.User && slices.ContainsFunc(e.Anchors, func(a entry.Anchor) bool {
		state, _ := contents.AnchorState(ctx, ss, a)
		return isStale(&e.Entry, a, state)
	})
}

// isStale reports whether an entry may hold no more because of the state of an anchor. A person may have taken the name of the
// file out of the text.
func isStale(e *entry.Entry, a entry.Anchor, state string) bool {
	return state == contents.AnchorChanged || state == contents.AnchorGone && (a.Hash != "" || strings.Contains(a.Path, "#") || strings.Contains(e.Text, a.Path))
}

// listed is the entry's view in a list of its kind, marked where it is stale.
func listed(ctx context.Context, ss *store.Stores, e LiveEntry) Record {
	v := EntryRecord(e)
	v.Stale = IsStale(ctx, ss, &e.Entry)
	return v
}

// StaleResult lists the entries whose anchors do not hold any more.
type StaleResult struct {
	Checked int      `json:"checked_count"`
	Entries []Record `json:"entries"`
	memory.Withheld
}
