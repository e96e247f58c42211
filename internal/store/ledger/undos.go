package ledger

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/internal/store"
)

// Undos returns the undos of this worktree that no redo has reversed, oldest first.
func Undos(ctx context.Context, ss *store.Stores) (undos []ActRecord, err error) {
	all, err := done(ctx, ss, Undoing)
	for _, rec := range all {
		switch rec.Act {
		case "undo":
			undos = append(undos, rec)
		case "redo": // reverses the newest undo of its scope
			for i, u := range slices.Backward(undos) {
				if u.Scope == rec.Scope {
					undos = slices.Delete(undos, i, i+1)
					break
				}
			}
		}
	}
	return undos, err
}

// TakenBack reports whether an agent has undone a commit's act in this worktree. Errors: the ledger cannot be read.
func TakenBack(ctx context.Context, ss *store.Stores, commit string) (bool, error) {
	all, err := done(ctx, ss, JournalLook)
	id := commit
	for _, rec := range all {
		if rec.Commit == commit {
			id = rec.ID
		}
	}
	return slices.ContainsFunc(all, func(rec ActRecord) bool {
		return rec.Undoes != "" && (rec.Undoes == id || rec.Undoes == commit) && cmp.Or(rec.Origin, OriginExplicit) != OriginExplicit
	}), err
}
