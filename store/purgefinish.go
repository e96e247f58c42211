package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
)

// purgingFile notes, in a store of our own, that history is rewritten and what it
// was may still be in the object store.
const purgingFile = "purging.json"

type purgeNote struct {
	Stashes []gitops.RewrittenStash `json:"stashes"` // which expire with the reflogs, and are made again
}

// Unpurged reports whether a purge was cut short when no ref led to the text any
// more: it may still stand in the object store, where nothing names it.
func (st *Store) Unpurged() bool {
	if st.Repo == nil || !st.Own() {
		return false
	}
	data, err := st.shared().read(purgingFile)
	return err != nil || data != nil
}

// FinishPurge lets go of what a purge that was cut short has left. Errors:
// *safefile.HeldError; *gitops.BlockedError; *gitops.Error.
func (st *Store) FinishPurge(ctx context.Context, wait time.Duration) (err error) {
	unlock, err := st.lock(ctx, wait, "purge")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := st.mendLocks(ctx); err != nil {
		return err
	}
	var note purgeNote
	_ = st.shared().readJSON(purgingFile, &note) // torn, it was written before anything changed
	now, err := st.Repo.Rewrite(ctx, gitops.RewriteRequest{
		Found: func([]byte) bool { return false }, Cut: func(src []byte) []byte { return src },
	})
	if err != nil {
		return err
	}
	for _, s := range note.Stashes {
		if !slices.ContainsFunc(now.Stashes, func(has gitops.RewrittenStash) bool { return has.New == s.New }) {
			now.Stashes = append(now.Stashes, s)
		}
	}
	if err := st.Repo.Sweep(ctx, now); err != nil {
		return err
	}
	return st.shared().remove(purgingFile)
}
