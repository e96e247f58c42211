package view

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// branchesOf returns the branches on which people set the value of an item and then those in conflict with it; "" for a
// value that no act of this machine set. It returns nil if an agent set one of them: then "mine" and "theirs" tell more.
func branchesOf(ctx context.Context, st *store.Store, it memfile.Item) []string {
	if it.By != "" || len(it.Conflict) == 0 || slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return r.By != "" }) {
		return nil
	}
	values := []memfile.Value{it.Value}
	for _, r := range it.Conflict {
		values = append(values, r.Value)
	}
	list := make([]string, len(values))
	// Without a journal no branch is known.
	_ = ledger.JournalHistory(ctx, st, func(v contents.Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
		for _, d := range v.Deltas() {
			if d.Kind != memfile.DeltaItem || d.Key != it.Key || d.After == nil || len(d.After.Conflict) > 0 {
				continue // what has a conflict is a merge's
			}
			i := slices.IndexFunc(values, func(v memfile.Value) bool { return memfile.Equal(v, d.After.Value) })
			if i >= 0 && list[i] == "" && (d.Before == nil || !memfile.Equal(d.Before.Value, d.After.Value)) {
				list[i] = strings.TrimPrefix(e.Branch, "refs/heads/")
			}
		}
		return slices.Contains(list, "")
	})
	return list
}
