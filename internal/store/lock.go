package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/statedir"
)

// notWritable is the error of a store whose folder for local state, or whose git folder,
// memctl may not write.
func (st *Store) notWritable(code, path string, err error) error {
	cause := err
	var of *fs.PathError
	for errors.As(cause, &of) {
		cause = of.Err
	}
	if inner := errors.Unwrap(cause); inner != nil {
		cause = inner
	}
	what := "the folder of local state"
	if code == fault.GitFolderNotWritable {
		what = "the git folder"
	}
	out := "run memctl outside the sandbox"
	switch st.Scope {
	case Project, Private:
		out += ", or with --scope user or --store FOLDER where those can be written"
	case User:
		out += ", or with --store FOLDER where that can be written"
	}
	return &fault.Error{Code: code, Thing: path, Err: err, Cause: fmt.Sprintf("%s cannot be written (%v): you can read memory; to change it, %s", what, cause, out)}
}

const (
	// StoreLock is held by whoever changes the store's files.
	StoreLock = "lock"
	// patientFrom is the wait from which a writer stands in line for longer,
	// while the line moves. A hook's wait is shorter, and stays what it is.
	patientFrom = time.Second
	// patience is how many times its wait a writer stands in a line that moves.
	patience = 6
)

// Lock takes the store's lock. It fails if one holder has kept it for as long as wait, or several
// in turn for a longer time. A process that git started does not wait. A dry run takes no lock.
// Errors: fault.LockHeld, naming the holder; fault.FolderNotWritable; fault.Deferred;
// fault.RepositoryUnusable.
func (st *Store) Lock(ctx context.Context, wait time.Duration, what string) (func() error, error) {
	if err := st.Unusable(); err != nil {
		return nil, err
	}
	if err := st.readOnly(); err != nil {
		return nil, err
	}
	if st.DryRun() {
		return unlocked, nil
	}
	if st.Stores.env.Writes != nil {
		st.Stores.env.Writes()
	}
	once, stop := context.WithCancel(ctx)
	stop()
	unlock, err := st.SharedState().Lock(once, StoreLock, "memctl "+what, st.mendCrash(ctx))
	if fault.Is(err, fault.LockHeld) && ctx.Err() == nil {
		if st.Repo != nil && st.Repo.Waits(ctx, 0) == gitops.WhyInside { // maybe of the lock's own holder
			return nil, Deferred(gitops.WhyInside, "")
		}
		unlock, err = st.standInLine(ctx, wait, what)
	}
	if err != nil {
		return nil, st.Unwritable(err)
	}
	if st.Repo == nil {
		return unlock, nil
	}
	return func() error {
		if since, left := st.Repo.LocksLeft(); left {
			st.Repo.DropOwnLocks(ctx, since)
		}
		return unlock()
	}, nil
}

// standInLine waits for the lock that somebody else holds.
func (st *Store) standInLine(ctx context.Context, wait time.Duration, what string) (func() error, error) {
	most := wait
	if wait >= patientFrom {
		most = patience * wait
	}
	root, err := st.SharedState().Open(true)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	patient, cancel := safefile.Patience(ctx, root, StoreLock, wait, most)
	defer cancel()
	unlock, err := st.SharedState().Lock(patient, StoreLock, "memctl "+what, st.mendCrash(ctx))
	if held := fault.Find(err, fault.LockHeld); held != nil && ctx.Err() == nil {
		held.Err = context.DeadlineExceeded // patience is over, nobody cancelled
	}
	return unlock, err
}

// Unwritable turns a lack of permission into the fault that says so, and leaves
// every other error alone.
func (st *Store) Unwritable(err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	if path, owner := st.othersState(); path != "" {
		return &fault.Error{
			Code: fault.FolderNotWritable, Thing: path, Err: err, Hints: []string{"sudo chown -R \"$(id -u)\" " + shell.Quote(path)},
			Cause: "it is local state of memctl and belongs to " + owner + ", so you can read memory but not change it",
		}
	}
	if st.Repo != nil {
		return st.notWritable(fault.GitFolderNotWritable, st.Repo.CommonDir, err)
	}
	return st.notWritable(fault.FolderNotWritable, st.SharedState().Folder, err)
}

// othersState returns a folder of the store's local state that belongs to another user, or has a file that does; path is ""
// if there is none.
func (st *Store) othersState() (path, owner string) {
	for _, dir := range st.Locals() {
		for _, at := range append([]string{dir}, safefile.Glob(dir, "*")...) {
			if owner, other := safefile.OtherOwner(at); other {
				return dir, owner
			}
		}
	}
	return "", ""
}

// errDied ends an attempt at a lock whose last holder died.
var errDied = errors.New("the last holder of the lock died")

// TryLock takes the store's lock where nobody holds it, without waiting. Where its last holder died it leaves the lock to the
// next act, which takes away what that holder left. Errors: fault.LockHeld; the system's cause.
func (st *Store) TryLock(ctx context.Context) (unlock func() error, died bool, err error) {
	once, cancel := context.WithCancel(ctx)
	cancel()
	unlock, err = st.SharedState().Lock(once, StoreLock, "memctl doctor", func(time.Time) error { return errDied })
	if errors.Is(err, errDied) {
		return unlocked, true, nil
	}
	return unlock, false, err
}

// Unusable is fault.RepositoryUnusable where the project has a repository that git cannot
// use: nothing is written to it, as nobody can tell where it belongs (a remote, a private
// store). Its memory is read all the same, unless it belongs to another user; nil elsewhere.
func (ss *Stores) Unusable() error {
	if ss.repo != nil || ss.IsSingleStore() || !fault.Is(ss.rootErr, fault.RepositoryUnusable) {
		return nil
	}
	return ss.rootErr
}

// Unusable is Unusable for the store that it is about.
func (st *Store) Unusable() error {
	if st.Scope != Project {
		return nil
	}
	return st.Stores.Unusable()
}

const (
	// WhyAbsent is why an automatic write waits where git has the memory file, and the
	// worktree has not.
	WhyAbsent = "the memory file is not on disk"
	// WhyOperation is why no write is made while a merge, or the like, is about the file.
	WhyOperation = "the operation in progress changes the file"
	// WhyDetached is a store of our own whose HEAD is on no branch.
	WhyDetached = "no branch checked out"
)

// Deferred is the error of a write that cannot be made now, and that left the tree as it
// was: an automatic one that cannot be committed, or any while a git is at work. lock is
// the lock that is in the way, where it is old enough to be one that a git left; else "".
func Deferred(why, lock string) *fault.Error {
	cause := "cannot be written now: " + why
	switch {
	case why == WhyAbsent:
	case why == WhyOperation:
		cause += "; finish or abort it first (git status says how)"
	case lock != "":
		cause += "; run the command again when that git command has ended; if no git is running, remove " + lock
	case gitops.HandsOff(why):
		cause += "; run the command again when that git command has ended"
	default:
		cause = "cannot be committed now: " + why
	}
	return &fault.Error{Code: fault.Deferred, Cause: cause, Why: why}
}

// MendLocks takes away what gits that are dead have locked, in a store of our own: an exchange speaks to its remote
// without the store's lock, so that nobody is told of its death.
func (st *Store) MendLocks(ctx context.Context) {
	if st.Repo != nil && !st.DryRun() && (st.Scope == Private || st.Scope == User) {
		st.Repo.DropDeadLocks(ctx, time.Time{})
	}
}

// mendCrash returns a function that cleans up after an act that took the store's lock at since and died. It
// removes temporary files and the locks of its git, but no lock of a git that may still run.
func (st *Store) mendCrash(ctx context.Context) func(since time.Time) error {
	return func(since time.Time) error {
		if st.Repo != nil && !st.Repo.DropDeadLocks(ctx, since) && ctx.Err() != nil {
			return ctx.Err() // the next act has more time
		}
		for _, state := range []statedir.Dir{st.SharedState(), st.WorktreeState(), st.Stores.DataState()} {
			if root, err := state.Open(false); err == nil {
				safefile.Sweep(root)
				_ = root.Close()
			}
		}
		return nil
	}
}

// mendFounding takes away what a process left that died while it made a store
// of our own: locks in the store's git folder, which nobody else uses, and in
// the session's repository.
func (st *Store) mendFounding(ctx context.Context, since time.Time) error {
	if st.Stores.repo != nil {
		st.Stores.repo.DropDeadLocks(ctx, since)
	}
	stores := safefile.Glob(st.Stores.data, "private/*")
	for _, dir := range append(stores, filepath.Join(st.Stores.data, "user")) {
		if st.Stores.OwnStore(st.Scope, dir).Repo != nil {
			continue // made, and not ours to mend
		}
		locks := safefile.Glob(dir, ".git/*.lock")
		for _, name := range locks {
			_ = os.Remove(name)
		}
	}
	return nil
}

// LocksLeft lists git's own locks in the store's repository that are old, and whether the
// next act removes them: those that memctl's gits may have left. Others are not memctl's
// to touch.
func (st *Store) LocksLeft(ctx context.Context) (names []string, ours bool) {
	if st.Repo == nil {
		return nil, false
	}
	if names = st.Repo.OldLocks(); len(names) == 0 || st.Scope == Private || st.Scope == User {
		return names, true
	}
	unlock, died, err := st.TryLock(ctx)
	if err == nil {
		_ = unlock()
	}
	return names, died
}
