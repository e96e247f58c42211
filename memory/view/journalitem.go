package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// fromJournal is the item of the keys that a restore from the journal brings back: what is gone from this branch, else
// the newest value here that is not how it is now, else the newest one of another branch.
func fromJournal(ctx context.Context, st *store.Store, keys []string, pick func(memfile.Document) *memfile.Item, now memfile.Document) (*memfile.Item, []string, error) {
	here := picked{current: pick(now)}
	other := here
	var lost *memfile.Item // as the newest act here left it whose commit the branch has not
	closed := false        // an act here whose commit it has was met: what is older is not lost
	isHere, err := ledger.Here(st)
	if err == nil {
		err = ledger.JournalHistory(ctx, st, func(v contents.Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
			it := pick(v.After())
			if !isHere(e) {
				other.take(it)
				return true
			}
			names := slices.ContainsFunc(e.Trailers, func(tr object.Trailer) bool { return tr.Name == "Memory-Key" && slices.Contains(keys, tr.Value) })
			if names && lost == nil && !closed {
				closed = e.Commit != "" && contents.InHistory(ctx, st, e.Commit)
				if !closed && it != nil && memory.NotPurged(it.Value) == nil && !ledger.SaySame(v.After(), now, it.Key) {
					lost = it
				}
			}
			if !here.take(it) {
				here.take(pick(v.Before()))
			}
			return true
		})
	}
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	own := cmp.Or(lost, here.item)
	if err != nil || own != nil || other.item == nil {
		return cmp.Or(own, here.purged), nil, err
	}
	return other.item, []string{"this branch never had this value; `memctl log --all " + policy.Inert(memory.Redacted(other.item.Key)) + "` lists what other branches had"}, nil
}

// JournalHint is the command that restores the key's item where that is in the journal and not in
// this branch's history, unless its value was purged or the policy refuses it. It is for people:
// an agent may not learn of such keys.
func JournalHint(ctx context.Context, ss *store.Stores, key, scope string) []string {
	stores, err := memory.HistoryStores(ctx, ss, scope)
	if err != nil || !memfile.KeyForm(key) {
		return nil
	}
	for _, st := range stores {
		if it, _, err := Earlier(ctx, st, key, "", false); it != nil || err != nil {
			continue
		}
		it, _, _ := Earlier(ctx, st, key, "", true)
		if it != nil && memory.NotPurged(it.Value) == nil && memory.RuleOn(st, txn.NewRecord(*it)) == nil {
			return []string{"memctl restore " + policy.Inert(memory.Redacted(key)) + " --from journal" + memory.ScopeFlag(scope)}
		}
	}
	return nil
}
