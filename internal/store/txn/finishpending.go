package txn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
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
