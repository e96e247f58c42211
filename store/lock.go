package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// UnwritableError is a store that cannot be written because memctl's folder
// for its local state cannot.
type UnwritableError struct {
	Scope string
	Path  string // the git folder, else the folder of local state
	Git   bool   // Path is a git folder
	Err   error  // the system's cause
}

func (e *UnwritableError) Error() string {
	cause := e.Err
	var of *fs.PathError
	for errors.As(cause, &of) {
		cause = of.Err
	}
	if inner := errors.Unwrap(cause); inner != nil {
		cause = inner
	}
	what := "the folder of local state"
	if e.Git {
		what = "the git folder"
	}
	out := "run memctl outside the sandbox"
	switch e.Scope {
	case Project, Private:
		out += ", or with --scope user or --store FOLDER where those can be written"
	case User:
		out += ", or with --store FOLDER where that can be written"
	}
	return fmt.Sprintf("%q: %s cannot be written (%v): memory can be read; to change it, %s", e.Path, what, cause, out)
}

func (e *UnwritableError) Unwrap() error { return e.Err }

// diedUnnoticed is for locks whose dead holders leave nothing to mend.
func diedUnnoticed(time.Time) error { return nil }

const (
	// storeLock is held by whoever changes the store's files.
	storeLock = "lock"
	// patientFrom is the wait from which a writer stands in line for longer,
	// while the line moves. A hook's wait is shorter, and stays what it is.
	patientFrom = time.Second
	// patience is how many times its wait a writer stands in a line that moves.
	patience = 6
)

// lock takes the store's lock. It waits until one holder has kept it for as
// long as wait, or where holders change for longer, up to a bound. Below a git of the
// repository it does not wait. Errors: *safefile.HeldError, naming the holder;
// *UnwritableError; *DeferredError; *gitops.UnusableError.
func (st *Store) lock(ctx context.Context, wait time.Duration, what string) (func() error, error) {
	if err := st.unusable(); err != nil {
		return nil, err
	}
	if st.ss.env.Writes != nil {
		st.ss.env.Writes()
	}
	once, stop := context.WithCancel(ctx)
	stop()
	unlock, err := st.shared().lock(once, storeLock, "memctl "+what, st.noteCrash)
	var held *safefile.HeldError
	if errors.As(err, &held) && ctx.Err() == nil {
		if st.Repo != nil && st.Repo.Waits(ctx, 0) == gitops.WhyInside { // maybe of the lock's own holder
			return nil, &DeferredError{Why: gitops.WhyInside}
		}
		unlock, err = st.standInLine(ctx, wait, what)
	}
	if err != nil {
		return nil, st.unwritable(err)
	}
	if st.Repo == nil {
		return unlock, nil
	}
	st.Repo.Share() // the lock first of all: who is killed shall keep nobody out
	return func() error {
		if since, left := st.Repo.LocksLeft(); left {
			_ = st.noteCrash(since) // a disk that does not take it has told of that already
		}
		st.Repo.Share()
		return unlock()
	}, nil
}

// standInLine waits for the lock that somebody else holds.
func (st *Store) standInLine(ctx context.Context, wait time.Duration, what string) (func() error, error) {
	most := wait
	if wait >= patientFrom {
		most = patience * wait
	}
	root, err := st.shared().open(true)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	patient, cancel := safefile.Patience(ctx, root, storeLock, wait, most)
	defer cancel()
	unlock, err := st.shared().lock(patient, storeLock, "memctl "+what, st.noteCrash)
	var held *safefile.HeldError
	if errors.As(err, &held) && ctx.Err() == nil {
		held.Cause = context.DeadlineExceeded // patience is over, nobody cancelled
	}
	return unlock, err
}

// unwritable turns a lack of permission into an *UnwritableError, and leaves
// every other error alone.
func (st *Store) unwritable(err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	e := &UnwritableError{Scope: st.Scope, Path: st.shared().dir, Err: err}
	if st.Repo != nil {
		e.Path, e.Git = st.Repo.CommonDir, true
	}
	return e
}
