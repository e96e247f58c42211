package undo

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/policy"
)

// lastPending is the newest write of this worktree that waits for its commit, if no act is newer. It is none that waits for
// review.
func lastPending(stores []*store.Store, acts []ledger.ActRecord) (st *store.Store, last ledger.Waiting) {
	for _, s := range stores {
		queue, _ := ledger.Queue(s) // a queue that cannot be read fails the act that needs it
		for _, q := range queue {
			if edit.ComesIn(q) && ledger.SaidHere(s, q) && (st == nil || !q.Since.Before(last.Since)) {
				st, last = s, q
			}
		}
	}
	if n := len(acts); n > 0 && acts[n-1].Time.After(last.Since) {
		return nil, last
	}
	return st, last
}

// dropPending drops a pending write from the queue. The journal keeps it, as git keeps an undone commit.
func dropPending(ctx context.Context, ss *store.Stores, req UndoRequest, st *store.Store, q ledger.Waiting) (memory.Write, error) {
	w := req.Answer("undo", q.Key, st.Scope)
	if err := req.Permit("undo", actState(q.Origin, q.Origin == memory.Automatic), "memctl undo"); err != nil {
		return w.Refused(err)
	}
	unlock, err := ledger.LockState(ctx, st, ledger.ReplayLock, req.Wait())
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
	text := policy.Inert(q.Act) + " " + policy.Inert(memory.Redacted(q.Key)) + " = " + memory.OneLine(memfile.Str(memory.Redacted(q.Value.Plain())))
	w.Why = q.Why
	w = w.Uncommitted(ss, "Undone: "+text+", which was pending", fault.NewNote("would-dequeue", "would remove from the queue: "+text))
	_, err = ledger.DropQueued(ctx, st, ledger.Drop{Act: "undo", Origin: req.Origin.Kind, IDs: []string{q.ID}, Wait: req.Wait()})
	return w, err
}

// requeue puts the writes that an act dropped from the queue back. It returns nothing if all of them were purged or the journal
// no longer has them.
func requeue(ctx context.Context, ss *store.Stores, req UndoRequest, rec ledger.ActRecord) (answers []memory.Write, err error) {
	st, err := ss.Get(ctx, rec.Scope)
	if err != nil {
		return nil, err
	}
	if err := req.Permit("restore", memory.StateAbsent, "memctl undo"); err != nil {
		w, err := req.Answer("undo", "", st.Scope).Refused(err)
		return []memory.Write{w}, err
	}
	list, _ := rec.Dropped(ctx, st)
	list = slices.DeleteFunc(list, func(q ledger.Waiting) bool { return memory.NotPurged(q.Value) != nil })
	for _, q := range list {
		w := req.Answer("undo", q.Key, st.Scope)
		text := policy.Inert(memory.Redacted(q.Key)) + " = " + memory.Beginning(memory.Redacted(q.Value.Plain()))
		answers = append(answers, w.Uncommitted(ss, "Undone: "+rec.Act+" "+text+", which is pending again", fault.NewNote("would-requeue", "would put back into the queue: "+text)))
	}
	if len(list) == 0 {
		return nil, nil
	}
	return answers, ledger.PutBack(ctx, st, rec, list, req.Wait())
}

// keptAgain reverts the acts of one command, as run does. What they had let in from the queue is pending again, and what they
// let in again is not. acts has the acts of this worktree.
func keptAgain(ctx context.Context, act string, parts []*reversal, notes []fault.Note, acts []ledger.ActRecord) ([]memory.Write, error) {
	command := cmp.Or(parts[0].Command, rand.Text())
	for _, r := range parts {
		r.Command = command
	}
	answers, err := run(ctx, act, parts, notes)
	if err != nil || slices.ContainsFunc(answers, func(w memory.Write) bool { return len(w.Findings) > 0 }) {
		return answers, err
	}
	for _, r := range parts {
		for _, rec := range acts {
			if !rec.LetIn() || !sameCommand(rec, r.record) || rec.Scope != r.record.Scope {
				continue
			}
			list, _ := rec.Dropped(ctx, r.store)
			list = slices.DeleteFunc(list, func(q ledger.Waiting) bool {
				return memory.NotPurged(q.Value) != nil || !slices.Contains(r.names(), q.Key)
			})
			if len(list) == 0 {
				continue
			}
			if err := ledger.PutBack(ctx, r.store, rec, list, r.Wait()); err != nil {
				return answers, err
			}
			answers[0].Notes = append(answers[0].Notes, fault.NewNote("pending-again", "it waits for your review again"))
		}
		if err := r.dequeue(ctx); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// dequeue takes off the queue what waits for a person there and memory has again.
func (r *reversal) dequeue(ctx context.Context) error {
	queue, err := ledger.Queue(r.store)
	if err != nil {
		return err
	}
	drop := ledger.Drop{Act: "review", Origin: r.Origin.Kind, Command: r.Command, Wait: r.Wait()}
	for _, c := range r.changes {
		for _, q := range queue {
			if c.Before != nil && !edit.ComesIn(q) && q.Key == c.name && memfile.Same(q.Value, c.Before.Value) {
				drop.IDs = append(drop.IDs, q.ID)
			}
		}
	}
	if len(drop.IDs) == 0 {
		return nil
	}
	_, err = ledger.DropQueued(ctx, r.store, drop)
	return err
}
