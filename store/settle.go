package store

import (
	"context"
	"errors"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// oldLock is the first of LocksLeft, "" for none.
func (st *Store) oldLock() string {
	names, _ := st.LocksLeft()
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// LockNote names the lock that keeps git from committing for the given reason, and the way
// out; nil where it is another reason.
func (st *Store) LockNote(why string) []string {
	if why == gitops.WhyAtWork || why == gitops.WhyLocked {
		if lock := st.oldLock(); lock != "" {
			return []string{lock + " is in the way: if no git runs here, remove it"}
		}
	}
	return nil
}

// deferred is the error of an act that can only wait.
func (t *transaction) deferred(why string) *DeferredError {
	e := &DeferredError{Why: why}
	if why == gitops.WhyAtWork {
		e.Lock = t.st.oldLock()
	}
	return e
}

// Unfinished is the act that a killed process left half done: since is when,
// act its name. ok is false where there is none, and where its process, or
// another, is still at work. Nothing is changed. Errors: the system's cause.
func (st *Store) Unfinished(ctx context.Context) (act string, since time.Time, ok bool, err error) {
	if st.Dir == "" {
		return "", time.Time{}, false, nil
	}
	begun, err := st.open(actBegun)
	if err != nil || len(begun) == 0 {
		return "", time.Time{}, false, err
	}
	unlock, err := st.TryLock(ctx)
	var held *safefile.HeldError
	if errors.As(err, &held) {
		return "", time.Time{}, false, nil
	}
	if err != nil {
		return "", time.Time{}, false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if begun, err = st.open(actBegun); err != nil || len(begun) == 0 {
		return "", time.Time{}, false, err
	}
	return begun[0].Act, begun[0].Time, true, nil
}

// Settle sets damaged files of local state aside, ends the act that a killed process
// left, and commits what waits for a commit, as the next act would. Notes are what there is to say. Errors: those of
// Update's beginning.
func (st *Store) Settle(ctx context.Context, wait time.Duration) (notes []string, err error) {
	if st.Dir == "" || st.gone() {
		return nil, nil
	}
	unlock, err := st.lock(ctx, wait, "doctor")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	st.changed()
	t := &transaction{st: st, w: Write{Act: "doctor", Wait: wait}}
	if err = st.mendLocks(ctx); err == nil {
		t.blocked, err = st.blocked(ctx, wait)
	}
	if err == nil {
		err = t.setAsideDamaged()
	}
	if err == nil {
		err = t.endUnfinished(ctx)
	}
	if err == nil {
		err = t.commitWaiting(ctx)
	}
	if err == nil {
		err = t.restage(ctx)
	}
	return append(t.notes, t.mended...), err
}
