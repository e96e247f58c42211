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

// look finds what to take back, and has what waits come in before it; store is nil where the
// last that was said waits itself. That one comes in no more: it could be held or refused
// then, and something older would go in its place.
func (u *undoing) look(ctx context.Context) (act context.Context, notes []string, err error) {
	if u.Commit == "" {
		if err := u.findUntaken(ctx); err != nil {
			return ctx, nil, err
		}
	}
	if u.untaken != nil && u.find(ctx) == nil && u.store == nil {
		return ctx, nil, nil
	}
	u.untaken, u.passed = nil, nil
	act, notes = u.bringIn(ctx, u.ss)
	return act, notes, u.find(act)
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
		queue = slices.DeleteFunc(queue, func(q store.Waiting) bool { return !comesIn(q) || !st.SaidHere(q) })
		if len(queue) == 0 {
			continue
		}
		came, err := u.cameIn(ctx, st)
		if err != nil {
			return err
		}
		for _, q := range queue {
			if !came[q.Since.UnixNano()] && (u.untaken == nil || !q.Since.Before(u.untaken.write.Since)) {
				u.untaken = &untaken{st, q}
			}
		}
	}
	return nil
}

// cameIn are the moments at which the writes were said that have come in: one of them may
// stand in the queue still, where the act that brought it in was killed.
func (u *undoing) cameIn(ctx context.Context, st *store.Store) (map[int64]bool, error) {
	_, _, killed, err := st.Unfinished(ctx)
	if err == nil && killed && !u.DryRun {
		_, err = st.Settle(ctx, u.wait()) // it is recorded by that
	}
	if err != nil {
		return nil, err
	}
	return u.ss.CameIn(st.Scope)
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
		w.Changed, w.Why, w.Notes = true, store.WhyDryRun, []string{"what waits would be taken off the queue: " + said}
		queue, err := st.Queue()
		queue = slices.DeleteFunc(queue, func(now store.Waiting) bool { return now.ID == q.ID })
		if keys := comingIn(queue); len(keys) > 0 {
			w.Notes = append(w.Notes, "what else waits comes in with it, and is left out here: "+fewKeys(keys))
		}
		return w, err
	}
	unlock, err := st.LockReplay(ctx, u.wait())
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
