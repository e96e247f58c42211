package store

import (
	"context"
	"time"
)

const (
	// queueLock is held while the queue's file is changed, and nothing else is done. The
	// store's own lock is no matter of the queue: who holds that may be waiting for a hook
	// that has something to say. Where both are held, that one was taken first.
	queueLock = "queue.lock"
	// replayLock is held while what waits comes in: two who did that at once could
	// bring an older word in over a newer one.
	replayLock = "replay.lock"
)

// LockReplay has one process at a time bring in what waits. Errors: *safefile.HeldError,
// fault.FolderNotWritable.
func (st *Store) LockReplay(ctx context.Context, wait time.Duration) (unlock func() error, err error) {
	return st.lockState(ctx, replayLock, wait)
}

// lockState takes a lock on part of the store's local state.
func (st *Store) lockState(ctx context.Context, name string, wait time.Duration) (func() error, error) {
	patient, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := st.shared().lock(patient, name, "memctl queue", diedUnnoticed)
	if err != nil {
		return nil, st.unwritable(err)
	}
	if st.Repo == nil {
		return unlock, nil
	}
	st.Repo.Share()
	return func() error {
		st.Repo.Share() // what was written under the lock
		return unlock()
	}, nil
}
