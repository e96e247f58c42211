package integrity

import (
	"context"
	"fmt"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	recovery "github.com/memctl/memctl/recover"
)

// Recover makes a damaged memory file sound, with everything kept (see package
// recovery), and commits it. A sound file is left alone.
func Recover(ctx context.Context, ss *store.Stores, req memory.Options) (RecoverResult, error) {
	res := RecoverResult{Reasons: []string{}, SetAside: []recovery.SetAside{}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	if err := memory.RuleOnMessage(st, req.Message); err != nil {
		return res, memory.AsError("recover", err)
	}
	found, out, err := txn.Recover(ctx, st, txn.Write{Message: req.Message, Origin: req.Origin.Kind, Clean: !req.Explicit(), Wait: req.Wait()})
	if err != nil {
		return res, err
	}
	res.Original = found.Original
	res.Needed, res.Kept, res.Salvaged = found.Needed, found.Kept, found.Salvaged
	res.Reasons = append(res.Reasons, found.Reasons...)
	res.SetAside = append(res.SetAside, found.SetAside...)
	res.Take(out)
	n := 0
	for _, it := range found.Document.Items {
		if len(it.Conflict) > 0 {
			n++
		}
	}
	if n > 0 {
		res.Notes = append(res.Notes, fault.NewNote("conflict-count", fmt.Sprintf("items with another value in conflict: %d; memctl review lists them", n)))
	}
	return res, nil
}

// RecoverResult is what `recover` did, or would do.
type RecoverResult struct {
	Needed   bool                `json:"needed"`
	Reasons  []string            `json:"reasons"`
	Kept     int                 `json:"kept_count"`
	Salvaged int                 `json:"salvaged_count"`
	SetAside []recovery.SetAside `json:"set_aside"`
	Original string              `json:"original,omitempty"` // the command that prints the file as it was
	Path     string              `json:"path"`
	Scope    string              `json:"scope"`
	memory.Committed
}

// mendWait bounds the wait for a store's lock: a person asks, and can ask again.
const mendWait = 5 * time.Second

// MakeReady does in every store what its next act would do unasked: it ends an act
// that was killed, commits what waits for a commit, brings in the automatic
// writes that waited for one, and makes git merge the store by meaning where it
// is one of our own. Notes are what there is to say. Errors: fault.LockHeld,
// fault.FolderNotWritable and the system's cause.
func MakeReady(ctx context.Context, ss *store.Stores) (notes []fault.Note, err error) {
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
