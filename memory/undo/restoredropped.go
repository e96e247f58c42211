package undo

import (
	"context"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// RestoreDropped brings back from the journal what ledger.Dropped names: the items and facts
// that commits of this branch held which HEAD no longer contains. The Key of the request is
// not used. Each comes back with a commit of its own.
func RestoreDropped(ctx context.Context, ss *store.Stores, req RestoreRequest) (list []memory.Write, err error) {
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	for _, st := range stores {
		for _, name := range ledger.Dropped(ctx, st) {
			one := req
			one.Key, one.Scope, one.Journal = name, st.Scope, true
			w, err := Restore(ctx, ss, one)
			if err != nil {
				return list, err
			}
			w.Notes = slices.DeleteFunc(w.Notes, ledger.IsDroppedNote)
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		w := req.Answer("restore", "", req.Scope)
		w, err = w.Refused(memory.Refuse(memory.RuleNotFound, "this branch has lost no memory", memory.Facts{Why: "nowhere"}))
		list = append(list, w)
	}
	return list, err
}
