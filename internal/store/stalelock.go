package store

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store/statedir"
)

// MendLocks takes away what gits that are dead have locked, in a store of our own: an exchange speaks to its remote
// without the store's lock, so that nobody is told of its death.
func (st *Store) MendLocks(ctx context.Context) {
	if st.Repo != nil && !st.DryRun() && (st.Scope == Private || st.Scope == User) {
		st.Repo.DropDeadLocks(ctx, time.Time{})
	}
}

// mendCrash takes away what an act left that died with the store's lock, which it took then: locks of its git and
// temporary files. Where a git may still be at work its locks stay, and a person removes them.
func (st *Store) mendCrash(ctx context.Context) func(since time.Time) error {
	return func(since time.Time) error {
		if st.Repo != nil && !st.Repo.DropDeadLocks(ctx, since) && ctx.Err() != nil {
			return ctx.Err() // the next act has more time
		}
		for _, state := range []statedir.Dir{st.SharedState(), st.WorktreeState(), st.Stores.DataState()} {
			if root, err := state.Open(false); err == nil {
				safefile.Sweep(root)
				_ = root.Close()
			}
		}
		return nil
	}
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
func (st *Store) LocksLeft(ctx context.Context) (names []string, ours bool) {
	if st.Repo == nil {
		return nil, false
	}
	if names = st.Repo.OldLocks(); len(names) == 0 || st.Scope == Private || st.Scope == User {
		return names, true
	}
	unlock, died, err := st.TryLock(ctx)
	if err == nil {
		_ = unlock()
	}
	return names, died
}
