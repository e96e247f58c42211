package txn

import (
	"context"
	"errors"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
)

// whyCutShort is why an act has no commit that its own process did not end.
const whyCutShort = "finished by the next write"

// endOne ends an act that a killed process left in this worktree: what it had
// lockAndLook to write is written to the end, and waits to be committed under its own name. Where somebody has changed one of the files
// since, all stay as they are.
func (t *transaction) endOne(ctx context.Context, a *ledger.OpenAct) (waits bool, err error) {
	if !a.Begun {
		return true, nil
	}
	for _, f := range a.Files {
		t.pendingPaths = append(t.pendingPaths, t.st.GitPathOf(f.Path))
	}
	finish, done, theirs, err := t.changesLeft(ctx, a)
	switch {
	case err != nil:
		return false, err
	case theirs && !a.NeverWas: // or HEAD was taken back to before it, and its log is gone
		return false, nil
	case theirs:
	case len(done) == 0:
		if a.NeverWas {
			return false, a.Drop(ctx, t.st)
		}
		return false, nil
	case t.blocked != "" && (Write{Origin: a.Origin}).forAgent(): // what an agent noted may not wait in the worktree
		return false, errors.Join(put(t.st, reversed(done)), a.Drop(ctx, t.st))
	default:
		if err := put(t.st, finish); err != nil {
			return false, err
		}
		t.finished = append(t.finished, fault.NewNote("killed-write-finished", "finished a write that was killed: "+a.Act))
	}
	return true, a.Amend(ctx, t.st, whyCutShort)
}

// changesLeft tells the changes of an act that are still to be made from those that are done; theirs says
// that somebody has changed one of the files since.
func (t *transaction) changesLeft(ctx context.Context, a *ledger.OpenAct) (finish, done []store.FileChange, theirs bool, err error) {
	for _, f := range a.Files {
		now, readErr := contents.FileBytes(t.st, f.Path)
		before, after, err := contents.FileSides(ctx, t.st, f)
		if err = errors.Join(readErr, err, ctx.Err()); err != nil {
			return nil, nil, false, err
		}
		switch name := t.st.GitPathOf(f.Path); {
		case ledger.IsBlob(ctx, t.st, f.After, name, now):
			done = append(done, store.FileChange{Path: f.Path, Before: before, After: now})
		case ledger.IsBlob(ctx, t.st, f.Before, name, now):
			finish = append(finish, store.FileChange{Path: f.Path, Before: now, After: after})
		default:
			theirs = true
		}
	}
	return finish, done, theirs, nil
}
