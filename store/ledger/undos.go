package ledger

import (
	"context"
	"slices"

	"github.com/memctl/memctl/store"
)

// Undos returns the undos of this worktree that no redo has reversed, oldest first. last
// reports whether the newest of them is the newest act of this worktree.
func Undos(ctx context.Context, ss *store.Stores) (undos []ActRecord, last bool, err error) {
	all, err := done(ctx, ss)
	for _, rec := range all {
		last = rec.Act == "undo"
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
	return undos, last, err
}
