package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
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

// Lock takes the store's lock. It waits until one holder has kept it for as
// long as wait, or where holders change for longer, up to a bound. Below a git of the
// repository it does not wait. A dry run takes no lock. Errors: fault.LockHeld, naming the holder;
// fault.FolderNotWritable; fault.Deferred; fault.Unusable.
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
			Cause: "it is local state of memctl and belongs to " + owner + ", so you can read memory and not change it",
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
