package txn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
)

// oldLock is the first old lock of git in the repository, "" for none.
func oldLock(st *store.Store) string {
	if st.Repo != nil {
		if names := st.Repo.OldLocks(); len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

// LockNote names the lock that keeps git from committing for the given reason, and the way
// out; nil where it is another reason.
func LockNote(st *store.Store, why string) []fault.Note {
	if why == gitops.WhyAtWork || why == gitops.WhyLocked {
		if lock := oldLock(st); lock != "" {
			return []fault.Note{fault.NewNote("git-lock", lock+" blocks the write; if no git is running here, remove it")}
		}
	}
	return nil
}

// deferred is the error of an act that can only wait.
func (t *transaction) deferred(why string) error {
	if why == gitops.WhyAtWork {
		return store.Deferred(why, oldLock(t.st))
	}
	return store.Deferred(why, "")
}

// Unfinished is the act that a killed process left half done; nil where there is none, and where its process, or
// another, is still at work. Nothing is changed. Errors: the system's cause.
func Unfinished(ctx context.Context, st *store.Store) (act *ledger.OpenAct, err error) {
	find := func() *ledger.OpenAct {
		open := ledger.Open(ctx, st)
		if i := slices.IndexFunc(open, func(a *ledger.OpenAct) bool { return a.NeverWas }); i >= 0 {
			return open[i]
		}
		return nil
	}
	if st.Dir == "" || find() == nil {
		return nil, nil
	}
	unlock, _, err := st.TryLock(ctx)
	if fault.Is(err, fault.LockHeld) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return find(), nil
}

// FinishPending ends the act that a killed process left, and commits what waits for a commit, as the next act would. Notes are what there is to say. Errors: those of
// Update's beginning.
func FinishPending(ctx context.Context, st *store.Store, wait time.Duration) (notes []fault.Note, err error) {
	if st.Dir == "" || st.Gone() || st.DryRun() {
		return nil, nil
	}
	t, end, err := lockAndLook(ctx, st, Write{Act: "doctor", Wait: wait})
	if err != nil {
		return nil, err
	}
	end()
	return append(t.notes, t.finished...), nil
}

// whyCutShort is why an act has no commit that its own process did not end.
const whyCutShort = "finished by the next write"

// endOne ends an act that a killed process left in this worktree: it writes the remaining files, which then wait for a
// commit under the act's own name. If somebody has changed one of the files since, all stay as they are.
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
