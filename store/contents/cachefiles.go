package contents

import (
	"context"
	"os"

	"github.com/memctl/memctl/store"
)

// CacheRoot opens the folder of local state that holds what can be built again
// for this worktree; with make it creates it first. Errors: fs.ErrNotExist.
func CacheRoot(st *store.Store, make bool) (*os.Root, error) { return st.WorktreeState().Open(make) }

// RulesKey changes whenever a verdict on something in the store may change
// though its file did not.
func RulesKey(ctx context.Context, st *store.Store) string {
	st.Stores.Accepted(ctx)
	return rulesKey(st)
}
