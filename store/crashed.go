package store

import (
	"context"
	"time"
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
// be somebody's still, the note stays for the next act.
func (st *Store) mendLocks(ctx context.Context) error {
	if st.Repo == nil {
		return nil
	}
	var note crashNote
	if err := st.shared().readJSON(crashedFile, &note); err == nil && note.Since.IsZero() {
		return nil // the usual case
	}
	// A note that a power cut has torn says no more than that there was a crash.
	if !st.Repo.DropDeadLocks(ctx, note.Since) {
		return nil
	}
	return st.shared().remove(crashedFile)
}
