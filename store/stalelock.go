package store

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/store/statedir"
)

// crashedFile notes that an act died with the store's lock in its hands, until
// an act has looked for the locks of git that it may have left.
const crashedFile = "crashed.json"

// CrashNote notes that something was cut short, which may have left locks of git.
type CrashNote struct {
	Since time.Time `json:"since"` // when the act took the lock
}

// NoteCrash keeps the note; an earlier one stands.
func (st *Store) NoteCrash(since time.Time) error {
	var note CrashNote
	if err := st.SharedState().ReadJSON(crashedFile, &note); err == nil && !note.Since.IsZero() {
		return nil
	}
	return st.SharedState().WriteJSON(crashedFile, CrashNote{Since: since})
}

// MendLocks takes away what the gits of dead acts have locked. Where a lock may
// be somebody's still, the note stays for the next act. In a store of our own
// every lock is looked at, whenever it was made: an exchange speaks to its remote
// without the store's lock, so its death is noted nowhere.
func (st *Store) MendLocks(ctx context.Context) error {
	if st.Repo == nil || st.DryRun() {
		return nil
	}
	var note CrashNote
	err := st.SharedState().ReadJSON(crashedFile, &note)
	crashed := err != nil || !note.Since.IsZero() // a torn note says no more than that there was a crash
	if own := st.Scope == Private || st.Scope == User; own {
		note.Since = time.Time{}
	} else if !crashed {
		return nil // the usual case
	}
	if !st.Repo.DropDeadLocks(ctx, note.Since) || !crashed {
		return nil
	}
	for _, state := range []statedir.Dir{st.SharedState(), st.WorktreeState(), st.Stores.DataState()} {
		if root, err := state.Open(false); err == nil {
			safefile.Sweep(root)
			_ = root.Close()
		}
	}
	return st.SharedState().Remove(crashedFile)
}

// mendFounding takes away what a process left that died while it made a store
// of our own: locks in the store's git folder, which nobody else uses, and in
// the session's repository.
func (st *Store) mendFounding(ctx context.Context, since time.Time) error {
	if st.Stores.repo != nil {
		st.Stores.repo.DropDeadLocks(ctx, since)
	}
	stores := safefile.Glob(st.Stores.data, "private/*")
	for _, dir := range append(stores, filepath.Join(st.Stores.data, "user")) {
		if st.Stores.OwnStore(st.Scope, dir).Repo != nil {
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
	var note CrashNote
	err := st.SharedState().ReadJSON(crashedFile, &note)
	return st.Repo.OldLocks(), err != nil || !note.Since.IsZero() || st.Scope == Private || st.Scope == User
}
