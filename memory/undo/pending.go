package undo

import (
	"context"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// lastWaiting is the newest write that was said in this worktree and waits, if no act was
// done here since; undo drops it. What waits for review is not among them.
func (u *undoing) lastWaiting(ctx context.Context) (st *store.Store, last ledger.Waiting, err error) {
	stores, err := memory.StoresOf(ctx, u.ss, u.Scope)
	if err != nil {
		return nil, last, err
	}
	for _, s := range stores {
		queue, err := ledger.Queue(s)
		if err != nil {
			return nil, last, err
		}
		for _, q := range queue {
			if edit.ComesIn(q) && ledger.SaidHere(s, q) && (st == nil || !q.Since.Before(last.Since)) {
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
func (u *undoing) drop(ctx context.Context, st *store.Store, q ledger.Waiting) (memory.Write, error) {
	w := u.Answer("undo", q.Key, st.Scope)
	switch {
	case u.Explicit():
	case q.Origin != memory.Relayed && q.Origin != memory.Automatic:
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can undo what a person did", "memctl undo"))
	case u.Automatic() && q.Origin != memory.Automatic:
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "unless the person asks, an agent can undo only what agents noted by themselves", "memctl undo"))
	}
	said := policy.Inert(q.Act) + " " + policy.Inert(memory.Redacted(q.Key)) + " = " + memory.OneLine(memfile.Str(memory.Redacted(q.Value.Plain())))
	unlock, err := ledger.LockReplay(ctx, st, u.Wait())
	if err != nil {
		return w, err
	}
	defer unlock()
	queue, err := ledger.Queue(st)
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(queue, func(now ledger.Waiting) bool { return now.ID == q.ID }) {
		return w.Refused(memory.Refuse(memory.RuleChanged, "it was pending and has just been committed", "memctl undo"))
	}
	w.Why = q.Why
	w = w.Local(u.ss, "Undone: "+said+", which was pending", "would remove from the queue: "+said)
	return w, ledger.Dequeue(ctx, st, q.ID, u.Wait())
}

// findDropped reads what an act dropped from the queue, without what was purged or left the journal.
func (u *undoing) findDropped(ctx context.Context, rec ledger.ActRecord) (err error) {
	if u.store, err = u.ss.Get(ctx, rec.Scope); err != nil {
		return err
	}
	u.record = rec
	list, err := rec.Dropped(ctx, u.store)
	u.dropped = slices.DeleteFunc(list, func(q ledger.Waiting) bool { return memory.NotPurged(q.Value) != nil })
	if err != nil { // the journal was cut
		u.dropped = nil
	}
	return nil
}

// putBackDropped puts the writes into the queue again.
func (u *undoing) putBackDropped(ctx context.Context) (answers []memory.Write, err error) {
	for _, q := range u.dropped {
		w := u.Answer("undo", q.Key, u.store.Scope)
		if !u.Explicit() {
			w, err := w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can restore what was dropped from the queue", "memctl undo"))
			return []memory.Write{w}, err
		}
		text := policy.Inert(memory.Redacted(q.Key)) + " = " + memory.Beginning(memory.Redacted(q.Value.Plain()))
		answers = append(answers, w.Local(u.ss, "Undone: "+u.record.Act+" "+text+", which is pending again", "would put back into the queue: "+text))
	}
	answers[0].Notes = append(u.passedNotes(), answers[0].Notes...)
	return answers, ledger.PutBack(ctx, u.store, u.record, u.dropped, u.Wait())
}
