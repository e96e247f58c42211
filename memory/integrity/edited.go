package integrity

import (
	"context"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// CommitEdit commits what a person changed in a memory file and in the entries beside it, with
// the checks that every act makes. A damaged file is left as it is: the person is still at it.
// Errors: fault.Damaged, and those of txn.Update.
func CommitEdit(ctx context.Context, st *store.Store, o memory.Options) (memory.Write, error) {
	w := o.Answer("edit", "", st.Scope)
	m, err := contents.Read(ctx, st)
	if err != nil {
		return w, err
	}
	if m.Salvaged {
		return w, &fault.Error{Code: fault.Damaged, Thing: st.Path(), Scope: st.Scope, Cause: "the file is damaged, so nothing was committed; memctl validate says where"}
	}
	out, err := o.Update(ctx, st, txn.Write{Act: "edit"})
	if err != nil {
		return w.Refused(memory.AsRefusal(err))
	}
	w = w.Outcome(out)
	w.Changed, w.Why, w.Saved = true, "", "Saved: "+st.Name()
	return w, nil
}
