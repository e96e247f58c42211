package store

import (
	"context"
	"os"
)

// OpenRoot opens the store's folder for reading what stands in it; nil without
// an error where there is none.
func (st *Store) OpenRoot() (*os.Root, error) { return st.openRoot() }

// CacheRoot opens the folder of local state that holds what can be built again
// for this worktree; with make it creates it first. Errors: fs.ErrNotExist.
func (st *Store) CacheRoot(make bool) (*os.Root, error) { return st.worktree().open(make) }

// RulesKey changes whenever a verdict on something in the store may change
// though its file did not.
func (st *Store) RulesKey(ctx context.Context) string {
	st.ss.Accepted(ctx)
	return st.rulesKey()
}
