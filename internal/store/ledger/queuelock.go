package ledger

import (
	"context"
	"time"

	"github.com/memctl/memctl/internal/store"
)

const (
	// QueueLock is held while the queue's file is changed, and nothing else is done. The
	// store's own lock is no matter of the queue: who holds that may be waiting for a hook
	// that has something to say. Where both are held, that one was taken first.
	QueueLock = "queue.lock"
	// ReplayLock is held while what waits comes in: two who did that at once could
	// bring an older word in over a newer one.
	ReplayLock = "replay.lock"
)

// LockReplay has one process at a time bring in what waits. Errors: fault.LockHeld,
// fault.FolderNotWritable.
func LockReplay(ctx context.Context, st *store.Store, wait time.Duration) (unlock func() error, err error) {
	return LockState(ctx, st, ReplayLock, wait)
}

// LockState takes a lock on part of the store's local state.
func LockState(ctx context.Context, st *store.Store, name string, wait time.Duration) (func() error, error) {
	patient, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := st.SharedState().Lock(patient, name, "memctl queue", nil)
	if err != nil {
		return nil, st.Unwritable(err)
	}
	return unlock, nil
}
