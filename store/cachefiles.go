package store

import (
	"context"
	"os"
)

// CacheRoot opens the folder of local state that holds what can be built again
// for this worktree; with make it creates it first. Errors: fs.ErrNotExist.
func (st *Store) CacheRoot(make bool) (*os.Root, error) { return st.worktree().open(make) }

// RulesKey changes whenever a verdict on something in the store may change
// though its file did not.
func (st *Store) RulesKey(ctx context.Context) string {
	st.ss.Accepted(ctx)
	return st.rulesKey()
}
