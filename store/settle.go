package store

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// TryLock takes the store's lock where nobody holds it, without waiting, and notes
// that its last holder died, where it did. Errors: *safefile.HeldError; the system's
// cause.
func (st *Store) TryLock(ctx context.Context) (unlock func() error, err error) {
	once, cancel := context.WithCancel(ctx)
	cancel()
	return st.shared().lock(once, storeLock, "memctl doctor", st.noteCrash)
}

// LocksLeft lists git's own locks in the store's repository that no git holds, and
// whether the next act takes them away: those that memctl's gits may have left. Others
// are not memctl's to touch.
func (st *Store) LocksLeft(ctx context.Context) (names []string, ours bool) {
	if st.Repo == nil {
		return nil, false
	}
	var note crashNote
	err := st.shared().readJSON(crashedFile, &note)
	return st.Repo.DeadLocks(ctx), err != nil || !note.Since.IsZero() || st.Scope == Private || st.Scope == User
}

// Unfinished is the act that a killed process left half done: begun is when,
// act its name. ok is false where there is none, and where its process, or
// another, is still at work. Nothing is changed. Errors: the system's cause.
func (st *Store) Unfinished(ctx context.Context) (act string, begun time.Time, ok bool, err error) {
	if st.Dir == "" {
		return "", time.Time{}, false, nil
	}
	if _, err := os.Stat(st.worktree().path(intentFile)); err != nil {
		return "", time.Time{}, false, nil // the check of the folder says what is wrong with it
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
	var in intent
	err = st.worktree().readLargeJSON(intentFile, &in, maxIntentBytes)
	var damaged *StateError
	if err != nil && !errors.As(err, &damaged) {
		return "", time.Time{}, false, err
	}
	return in.Act.Act, in.Since, err != nil || len(in.Changes) > 0, nil
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
	t := &transaction{st: st, w: Write{Act: "doctor"}}
	if t.blocked, err = st.blocked(ctx); err == nil {
		err = st.mendLocks(ctx)
	}
	if err == nil {
		err = t.setAsideDamaged(ctx)
	}
	if err == nil {
		err = t.settleIntent(ctx)
	}
	if err == nil {
		err = t.commitWaiting(ctx)
	}
	if err == nil {
		err = t.restage(ctx)
	}
	return append(t.notes, t.mended...), err
}
