package memory

import (
	"context"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

// log is the history of one store.
func (h *historian) log(ctx context.Context, req LogRequest) ([]Change, error) {
	if req.All {
		return h.logAll(ctx, req)
	}
	var list []Change
	err := h.store.History(ctx, func(v store.Version) bool {
		list = append(list, h.changes(v, req.Key)...)
		return req.Max == 0 || len(list) < req.Max
	})
	return list, err
}

// logAll is the history of every branch, and after it what only the journal
// has: writes that were never committed, or whose commits are gone.
func (h *historian) logAll(ctx context.Context, req LogRequest) ([]Change, error) {
	var list []Change
	commits, told := map[string]bool{}, map[string]bool{}
	err := h.store.HistoryAll(ctx, func(v store.Version) bool {
		commits[v.Commit] = true
		for _, c := range h.changes(v, req.Key) {
			told[sameChange(c)] = true
			list = append(list, c)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	err = h.store.JournalHistory(ctx, func(v store.Version, of string) bool {
		if commits[of] {
			return true
		}
		for _, c := range h.changes(v, req.Key) {
			if same := sameChange(c); !told[same] {
				told[same] = true
				list = append(list, c)
			}
		}
		return true
	})
	return list, err
}

// sameChange names what a change did, wherever it was recorded: a write that
// waited is in the journal twice, and in the branch once.
func sameChange(c Change) string {
	name := c.Kind + "\x00" + c.Key + "\x00" + c.Change
	for _, v := range []*memfile.Value{c.Before, c.After} {
		name += "\x00"
		if v != nil {
			name += v.Canonical()
		}
	}
	return name
}
