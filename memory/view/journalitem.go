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

// journalSearch looks for one item in the journal of a store.
type journalSearch struct {
	st   *store.Store
	keys []string
	pick func(memfile.Document) *memfile.Item
	now  memfile.Document

	lost   *memfile.Item // as the newest act here left it whose commit the branch has not
	closed bool          // an act here whose commit it has was met: what is older is not lost
	here   picked
	other  picked // of other branches
}

// item is what a restore from the journal brings back: what is gone from this branch, else the
// newest value here that is not how it stands now, else the newest one of another branch.
func (j *journalSearch) item(ctx context.Context) (*memfile.Item, []string, error) {
	j.here.current = j.pick(j.now)
	j.other.current = j.here.current
	isHere, err := ledger.Here(j.st)
	if err == nil {
		err = ledger.JournalHistory(ctx, j.st, func(v contents.Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
			if isHere(e) {
				j.ownBranch(ctx, v, e)
			} else {
				j.other.take(j.pick(v.After()))
			}
			return true
		})
	}
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if own := cmp.Or(j.lost, j.here.item); own != nil || j.other.item == nil {
		return cmp.Or(own, j.here.purged), nil, nil
	}
	return j.other.item, []string{"this branch never had this value; `memctl log --all " + policy.Inert(memory.Redacted(j.other.item.Key)) + "` lists what other branches had"}, nil
}

// ownBranch looks at a write of this branch.
func (j *journalSearch) ownBranch(ctx context.Context, v contents.Version, e committer.JournalEntry) {
	it := j.pick(v.After())
	names := slices.ContainsFunc(e.Trailers, func(tr object.Trailer) bool {
		return tr.Name == "Memory-Key" && slices.Contains(j.keys, tr.Value)
	})
	if names && j.lost == nil && !j.closed {
		j.closed = e.Commit != "" && contents.InHistory(ctx, j.st, e.Commit)
		if !j.closed && it != nil && memory.NotPurged(it.Value) == nil && !ledger.SaySame(v.After(), j.now, it.Key) {
			j.lost = it
		}
	}
	if !j.here.take(it) {
		j.here.take(j.pick(v.Before()))
	}
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
