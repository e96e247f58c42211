package txn

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
)

// lookAt begins a transaction that is no Update, and looks at the store. Nothing is ended
// after an error, but where it is a fault.Secret the caller may go on.
func lookAt(ctx context.Context, st *store.Store, w Write) (*transaction, error) {
	t := &transaction{st: st, w: w}
	return t, t.look(ctx)
}

// lockAndLook is lookAt under the store's lock, which end releases.
func lockAndLook(ctx context.Context, st *store.Store, w Write) (t *transaction, end func(), err error) {
	unlock := func() error { return nil }
	if st.Dir != "" {
		if unlock, err = st.Lock(ctx, w.Wait, w.Act); err != nil {
			return nil, nil, err
		}
	}
	st.DropCache()
	end = func() { st.DropCache(); _ = unlock() }
	if t, err = lookAt(ctx, st, w); err != nil {
		end()
	}
	return t, end, err
}

// CommitPendingFile commits what stands in the memory file uncommitted, so that a merge has only
// commits to look at. It gives the file's bytes, and notes for the person. The store's lock
// is held. Errors: fault.Secret, fault.NoMemoryFile, fault.Blocked.
func CommitPendingFile(ctx context.Context, st *store.Store, w Write) (src []byte, notes []fault.Note, err error) {
	t, err := lookAt(ctx, st, w)
	if err != nil {
		return nil, nil, err
	}
	src = t.src
	if src != nil {
		if _, err := t.soundFile(ctx); err != nil {
			return nil, nil, err
		}
	} else if t.blocked == "" && worktree.CommitHas(ctx, st.Repo, t.head, st.GitPath()) {
		return nil, nil, Missing(ctx, st)
	}
	switch {
	case t.secret != nil:
		return nil, nil, t.secret
	case t.blocked != "":
		return nil, nil, gitops.Blocked(t.blocked, "")
	}
	return src, t.notes, nil
}

// CommitByHand commits files that a person changed by hand. The store's lock is held.
func CommitByHand(ctx context.Context, st *store.Store, changes []store.FileChange) error {
	_, err := commitFiles(ctx, st, changes, editSubject, "", editTrailers(st), func(string) error { return nil })
	return err
}

// TakeExchange puts what an exchange changes in place and commits it together with the other history.
// Where it is killed between its files and its commit, the next act commits the files, and the next exchange merges the histories again. The
// store's lock is held.
func TakeExchange(ctx context.Context, st *store.Store, w Write, changes []store.FileChange, merge *committer.Merge) (commit string, notes []fault.Note, err error) {
	p := &plan{transaction: &transaction{st: st, w: w}, changes: changes, undone: true}
	var failed error
	commit, err = commitRequest(ctx, st, changes, committer.Request{Subject: w.subject(), Body: w.Message, Trailers: w.Trailers(st.Scope), Merge: merge}, func(id string) error {
		if len(changes) > 0 {
			failed = p.write(ctx, id, "")
		}
		return failed
	})
	if err != nil {
		err = errors.Join(err, p.takeBack(ctx))
	}
	return commit, p.notes, err
}

// Cutting is a removal of a text from a store's files.
type Cutting struct{ t *transaction }

// BeginCut looks at the store before a text is removed from its files. A secret in a file
// that waits does not end it: a removal may be what it needs. The store's lock is held.
func BeginCut(ctx context.Context, st *store.Store, w Write) (*Cutting, error) {
	t, err := lookAt(ctx, st, w)
	if err != nil && !fault.Is(err, fault.Secret) {
		return nil, err
	}
	return &Cutting{t}, nil
}

// Blocked is why nothing can be committed now; "" where it can.
func (c *Cutting) Blocked() string { return c.t.blocked }

// Put writes the changes, and commits those that are recorded, in an act that undo does
// not look at. Where nothing can be committed now it only writes. After an error the act
// stays begun: the next one ends it.
func (c *Cutting) Put(ctx context.Context, changes, recorded []store.FileChange) error {
	st, w := c.t.st, c.t.w
	if c.t.blocked != "" || len(recorded) == 0 {
		return put(st, changes)
	}
	var entry *committer.JournalEntry
	written := false
	_, err := commitFiles(ctx, st, recorded, w.subject(), "", w.Trailers(st.Scope), func(id string) (err error) {
		entry, err = c.t.journal(ctx, ledger.JournalWrite{Changes: recorded, Subject: "memory: " + w.subject(), Trailers: w.Trailers(st.Scope), Commit: id, Instead: entry})
		if written || err != nil {
			return err
		}
		written = true
		return put(st, changes)
	})
	return err
}
