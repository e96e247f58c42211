package memory

import (
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// untaken is a write that was said and waits, so that there is nothing of it to take back
// yet: undo takes it off the queue.
type untaken struct {
	store *store.Store
	write store.Waiting
}

// findUntaken looks for the last write that was said in this worktree and waits for a git,
// or for the memory file: not for review, where the person was told that it is not in.
func (u *undoing) findUntaken(ctx context.Context) error {
	stores, err := storesOf(ctx, u.ss, u.Scope)
	if err != nil {
		return err
	}
	for _, st := range stores {
		queue, err := st.Queue()
		if err != nil {
			return err
		}
		for _, q := range queue {
			if comesIn(q) && st.SaidHere(q) && (u.untaken == nil || !q.Since.Before(u.untaken.write.Since)) {
				u.untaken = &untaken{st, q}
			}
		}
	}
	return nil
}

// waitsSince reports whether such a write was said at that moment or after it.
func (u *undoing) waitsSince(moment time.Time) bool {
	return u.untaken != nil && !u.untaken.write.Since.Before(moment)
}

// takeOff takes the write off the queue, unless it comes in at this very moment.
func (u *undoing) takeOff(ctx context.Context) (Write, error) {
	st, q := u.untaken.store, u.untaken.write
	w := u.answer("undo", q.Key, st.Scope)
	if err := u.mayTakeOff(); err != nil {
		return w.refused(err)
	}
	said := policy.Inert(q.Act) + " " + policy.Inert(redacted(q.Key)) + " = " + oneLine(memfile.Str(redacted(q.Value.Plain())))
	if u.DryRun {
		what := "what waits would be taken off the queue: "
		if u.wouldComeIn(ctx) {
			what = "what waits would come in first, and this of it be undone: "
		}
		w.Changed, w.Why, w.Notes = true, store.WhyDryRun, []string{what + said}
		return w, nil
	}
	unlock, err := st.LockReplay(ctx, waitAutomatic)
	if err != nil {
		return w, err
	}
	defer unlock()
	queue, err := st.Queue()
	if err != nil {
		return w, err
	}
	if !slices.ContainsFunc(queue, func(now store.Waiting) bool { return now.ID == q.ID && comesIn(now) }) {
		return w.refused(refuse(ruleChanged, "it waited, and came in just now", "memctl undo"))
	}
	w.Changed, w.Why, w.Saved = true, q.Why, "Undone: "+said+", which waited"
	return w, st.Dequeue(ctx, q.ID, u.wait())
}

// wouldComeIn reports whether undo itself brings the write in before it looks for what to
// take back, as far as that shows without trying.
func (u *undoing) wouldComeIn(ctx context.Context) bool {
	st, q := u.untaken.store, u.untaken.write
	if q.Why == store.WhyAbsent {
		if m, err := st.Read(ctx); err != nil || !m.Exists {
			return false
		}
	}
	return st.Ready(ctx) || !u.automatic() && q.Origin != Automatic && q.Why != store.WhyOperation && st.HandsOff(ctx) == ""
}

// mayTakeOff is permitted for a write that waits.
func (u *undoing) mayTakeOff() error {
	origin := u.untaken.write.Origin
	switch {
	case u.explicit():
		return nil
	case origin != Relayed && origin != Automatic:
		return refuse(ruleExplicitOnly, "only a person takes back what a person did", "memctl undo")
	case u.automatic() && origin != Automatic:
		return refuse(ruleExplicitOnly, "an agent by itself takes back only what agents noted by themselves", "memctl undo")
	}
	return nil
}
