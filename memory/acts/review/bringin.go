package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/notice"
	"github.com/memctl/memctl/policy"
)

const (
	// maxReplayed is how many waiting writes an agent's act brings in beside its own; the
	// rest comes in with the next acts.
	maxReplayed = 100
	// maxReplayedNamed is how many keys of what came in are told.
	maxReplayedNamed = 12
)

// BringIn commits pending writes in the scopes of an act, right before the act: the act
// then finds them, and undo reverts the act alone. The doors call it for each act that
// writes, except for those about pending writes and about the last act. The notes go to the
// beginning of the act's answer.
func BringIn(ctx context.Context, ss *store.Stores, o memory.Options) (notes []fault.Note) {
	stores, err := memory.StoresOf(ctx, ss, o.Scope)
	if err != nil {
		return nil // the act itself tells of the error
	}
	if !ss.DryRun() {
		_ = notice.Learn(ctx, ss) // the rest of transcripts, which proposes and writes no memory
	}
	for _, st := range stores {
		queue, err := ledger.Queue(st)
		switch {
		case err == nil && !slices.ContainsFunc(queue, edit.ComesIn):
		case ss.DryRun() && err == nil:
			notes = append(notes, fault.NewNote("would-commit-pending", "pending writes would be committed first, and are not shown here: "+fewKeys(comingIn(queue))))
		case err == nil:
			notes = append(notes, replay(ctx, ss, st, o)...)
		}
	}
	return notes
}

// replay decides again about the writes that waited until a commit was possible, each with
// a commit of its own, in the order in which they were said. An agent's act brings in
// nothing where it could not be committed.
func replay(ctx context.Context, ss *store.Stores, st *store.Store, o memory.Options) []fault.Note {
	why, err := txn.Blocked(ctx, st, o.Wait())
	ready := err == nil && why == ""
	if !ready && (!o.Explicit() || gitops.HandsOff(why)) {
		return nil
	}
	lost := ledger.NewlyLostNote(ctx, st) // what comes in would hide it
	r := &replaying{notes: lost, ctx: ctx, ss: ss, st: st, left: map[string]string{}}
	err = r.locked(o, ready)
	if err != nil && !fault.Is(err, fault.LockHeld) { // else somebody else brings it in
		r.notes = append(r.notes, fault.NewNote("pending-failed", "pending writes could not be committed: "+err.Error()))
	}
	if len(r.in) > 0 {
		r.notes = append(r.notes, fault.NewNote("queue-committed", "committed pending writes: "+fewKeys(r.in)))
	}
	return r.notes
}

// replaying is one replay of a store's queue.
type replaying struct {
	ctx   context.Context
	ss    *store.Stores
	st    *store.Store
	left  map[string]string // how the writes that came in left their keys
	in    []string          // the keys that came in
	notes []fault.Note
}

// locked brings in what waits, under the lock that keeps two processes from doing so at once.
func (r *replaying) locked(o memory.Options, ready bool) error {
	wait := o.Wait()
	if o.Automatic() {
		wait = 0
	}
	unlock, err := ledger.LockState(r.ctx, r.st, ledger.ReplayLock, wait)
	if err != nil {
		return err
	}
	defer unlock()
	queue, err := ledger.Queue(r.st)
	if err != nil {
		return err
	}
	queue = slices.DeleteFunc(queue, func(q ledger.Waiting) bool { return !edit.ComesIn(q) || !ready && q.Origin != memory.Explicit })
	if o.Automatic() {
		queue = queue[:min(len(queue), maxReplayed)]
	}
	for _, q := range queue {
		if goOn, err := r.one(q); err != nil || !goOn {
			return err
		}
	}
	return nil
}

// one brings in one write; goOn is false if it goes on waiting, and with it the rest.
func (r *replaying) one(q ledger.Waiting) (goOn bool, err error) {
	name := policy.Inert(memory.Redacted(q.Key))
	w, err := r.write(q)
	if err != nil || w.Verdict == policy.Hold.String() && w.Why != memory.Held {
		return false, err
	}
	rules := ruleNames(w.Findings)
	older := slices.Contains(rules, memory.RuleChanged)
	refused := w.Verdict == policy.Refuse.String() && q.Origin != memory.Automatic
	switch {
	case older:
		r.notes = append(r.notes, fault.NewNote("queued-older", "a pending write is older than a change of its key, so it waits for memctl review: "+name))
	case refused:
		r.notes = append(r.notes, fault.NewNote("queued-refused", "the policy now refuses a pending write, so it waits for memctl review: "+name))
	}
	if older || refused || w.Verdict == policy.Hold.String() {
		return true, ledger.HoldQueued(r.ctx, r.st, q.ID, rules, memory.WaitAutomatic)
	}
	switch {
	case w.Changed && ledger.WorktreeGone(q):
		r.notes = append(r.notes, fault.NewNote("worktree-removed", "committed here the pending writes of the worktree "+policy.Inert(q.Worktree)+", which was removed: "+w.Key))
	case w.Changed && !slices.Contains(r.in, w.Key):
		r.in = append(r.in, w.Key)
	}
	return true, ledger.Dequeue(r.ctx, r.st, q.ID, memory.WaitAutomatic)
}

// comingIn are the keys of what comes in, each once.
func comingIn(queue []ledger.Waiting) (keys []string) {
	seen := map[string]bool{}
	for _, q := range queue {
		if edit.ComesIn(q) && !seen[q.Key] {
			keys, seen[q.Key] = append(keys, policy.Inert(memory.Redacted(q.Key))), true
		}
	}
	return keys
}

func ruleNames(found []fault.Finding) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return names
}

// fewKeys names keys, and counts those that are too many to name.
func fewKeys(keys []string) string {
	n := min(len(keys), maxReplayedNamed)
	named := strings.Join(keys[:n], ", ")
	if more := len(keys) - n; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}

// write stores what waited as it was proposed.
func (r *replaying) write(q ledger.Waiting) (memory.Write, error) {
	o := memory.Options{Scope: r.st.Scope, Message: q.Message, Origin: memory.Origin{Kind: q.Origin, Name: q.Agent}, SaidOn: q.SaidOn}
	req, err := edit.FromQueue(q, o)
	if err != nil {
		return memory.Write{}, err
	}
	req.Queued = &edit.Queued{Waiting: q, Left: r.left[q.Key]}
	w, err := edit.Add(r.ctx, r.ss, req)
	r.left[q.Key] = req.Queued.Left
	return w, err
}
