package memory

import (
	"context"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// lastWaiting is the newest write that was said in this worktree and waits, if no act was
// done here since; undo drops it. What waits for review is not among them.
func (u *undoing) lastWaiting(ctx context.Context) (st *store.Store, last ledger.Waiting, err error) {
	stores, err := storesOf(ctx, u.ss, u.Scope)
	if err != nil {
		return nil, last, err
	}
	for _, s := range stores {
		queue, err := ledger.Queue(s)
		if err != nil {
			return nil, last, err
		}
		for _, q := range queue {
			if comesIn(q) && ledger.SaidHere(s, q) && (st == nil || !q.Since.Before(last.Since)) {
				st, last = s, q
			}
		}
	}
	acts, err := ledger.Acts(ctx, u.ss)
	if n := len(acts); st != nil && n > 0 && acts[n-1].Time.After(last.Since) {
		return nil, last, err
	}
	return st, last, err
}

// drop takes the write off the queue.
func (u *undoing) drop(ctx context.Context, st *store.Store, q ledger.Waiting) (Write, error) {
	w := u.answer("undo", q.Key, st.Scope)
	switch {
	case u.explicit():
	case q.Origin != Relayed && q.Origin != Automatic:
		return w.refused(refuse(ruleExplicitOnly, "only a person takes back what a person did", "memctl undo"))
	case u.automatic() && q.Origin != Automatic:
		return w.refused(refuse(ruleExplicitOnly, "an agent by itself takes back only what agents noted by themselves", "memctl undo"))
	}
	said := policy.Inert(q.Act) + " " + policy.Inert(redacted(q.Key)) + " = " + oneLine(memfile.Str(redacted(q.Value.Plain())))
	w.Changed, w.Why = true, q.Why
	if u.DryRun {
		w.Why, w.Notes = txn.WhyDryRun, []string{"what waits would be taken off the queue: " + said}
		return w, nil
	}
	unlock, err := ledger.LockReplay(ctx, st, u.wait())
	if err != nil {
		return w, err
	}
	defer unlock()
	queue, err := ledger.Queue(st)
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(queue, func(now ledger.Waiting) bool { return now.ID == q.ID }) {
		return w.refused(refuse(ruleChanged, "it waited, and came in just now", "memctl undo"))
	}
	w.Saved = "Undone: " + said + ", which waited"
	return w, ledger.Dequeue(ctx, st, q.ID, u.wait())
}
