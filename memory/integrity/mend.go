package integrity

import (
	"context"
	"time"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// mendWait bounds the wait for a store's lock: a person asks, and can ask again.
const mendWait = 5 * time.Second

// Mend does in every store what its next act would do unasked: it ends an act
// that was killed, commits what waits for a commit, brings in the automatic
// writes that waited for one, and makes git merge the store by meaning where it
// is one of our own. Notes are what there is to say. Errors: fault.LockHeld,
// fault.FolderNotWritable and the system's cause.
func Mend(ctx context.Context, ss *store.Stores) (notes []string, err error) {
	stores, err := memory.StoresOf(ctx, ss, "")
	for _, st := range stores {
		said, err := txn.FinishPending(ctx, st, mendWait)
		notes = append(notes, said...)
		if err != nil {
			return notes, err
		}
		if st.Scope == store.Private || st.Scope == store.User {
			notes = append(notes, st.MergeByMeaning(ctx)...)
		}
	}
	return notes, err
}
