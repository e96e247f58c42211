package store

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// crashedFile notes that an act died with the store's lock in its hands, until
// an act has looked for the locks of git that it may have left.
const crashedFile = "crashed.json"

type crashNote struct {
	Since time.Time `json:"since"` // when the act took the lock
}

// noteCrash keeps the note; an earlier one stands.
func (st *Store) noteCrash(since time.Time) error {
	var note crashNote
	if err := st.shared().readJSON(crashedFile, &note); err == nil && !note.Since.IsZero() {
		return nil
	}
	return st.shared().writeJSON(crashedFile, crashNote{Since: since})
}

// mendLocks takes away what the gits of dead acts have locked. Where a lock may
// be somebody's still, the note stays for the next act. In a store of our own
// every lock is looked at, whenever it was made: an exchange speaks to its remote
// without the store's lock, so its death is noted nowhere.
func (st *Store) mendLocks(ctx context.Context) error {
	if st.Repo == nil {
		return nil
	}
	var note crashNote
	err := st.shared().readJSON(crashedFile, &note)
	crashed := err != nil || !note.Since.IsZero() // a torn note says no more than that there was a crash
	if own := st.Scope == Private || st.Scope == User; own {
		note.Since = time.Time{}
	} else if !crashed {
		return nil // the usual case
	}
	if !st.Repo.DropDeadLocks(ctx, note.Since) || !crashed {
		return nil
	}
	for _, state := range []local{st.shared(), st.worktree(), st.ss.dataState()} {
		if root, err := state.open(false); err == nil {
			safefile.Sweep(root)
			_ = root.Close()
		}
	}
	return st.shared().remove(crashedFile)
}

// mendFounding takes away what a process left that died while it made a store
// of our own: locks in the store's git folder, which nobody else uses, and in
// the session's repository.
func (st *Store) mendFounding(ctx context.Context, since time.Time) error {
	if st.ss.repo != nil {
		st.ss.repo.DropDeadLocks(ctx, since)
	}
	stores := safefile.Glob(st.ss.data, "private/*")
	for _, dir := range append(stores, filepath.Join(st.ss.data, "user")) {
		if st.ss.own(st.Scope, dir).Repo != nil {
			continue // made, and not ours to mend
		}
		locks := safefile.Glob(dir, ".git/*.lock")
		for _, name := range locks {
			_ = os.Remove(name)
		}
	}
	return nil
}

// LocksLeft lists git's own locks in the store's repository that are old, and whether the
// next act removes them: those that memctl's gits may have left. Others are not memctl's
// to touch.
func (st *Store) LocksLeft() (names []string, ours bool) {
	if st.Repo == nil {
		return nil, false
	}
	var note crashNote
	err := st.shared().readJSON(crashedFile, &note)
	return st.Repo.OldLocks(), err != nil || !note.Since.IsZero() || st.Scope == Private || st.Scope == User
}
