package safefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// HeldError says that a lock was not got in time.
type HeldError struct {
	Path   string
	PID    int    // the holder's process id, 0 where it could not be read
	Holder string // what the holder said it does, "" where it could not be read
	Cause  error  // the context's error: time ran out, or the wait was cancelled
	// Ended: no process of that id runs on this machine, so the lock is another's, who has
	// not written down who it is, or who is on another machine.
	Ended bool
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%q: locked by another process", e.Path)
	}
	if e.Ended {
		return fmt.Sprintf("%q: locked by another process; %d (%s), which is named there, does not run on this machine any more", e.Path, e.PID, e.Holder)
	}
	return fmt.Sprintf("%q: locked by process %d (%s)", e.Path, e.PID, e.Holder)
}

// Unwrap gives the context's error, so that a cancelled wait can be told from
// one that ran out of time.
func (e *HeldError) Unwrap() error { return e.Cause }

const (
	// holderPoll is how often a waiting process looks who holds the lock.
	holderPoll = 50 * time.Millisecond
	// holderAt is where the holder's line begins. Windows locks the first byte
	// against everybody's reading, so that one is left alone.
	holderAt = 1
	// holderMax bounds the holder's line in bytes.
	holderMax = 200
)

// Lock takes an exclusive lock on the file name under root (made if missing, mode
// 0600), waiting until ctx ends; where ctx has ended already it still tries
// once. It writes who holds it (pid, what) into the file. The lock ends with
// unlock or with the process; the file stays, because removing it would let
// two processes lock two files of one name. root may be closed once Lock has
// returned. Errors: *HeldError with the holder's description; *NotAFileError,
// for a symbolic link too; or the system's cause with the path in front.
//
// died, where it is not nil, is called where the last holder ended without giving the lock
// back, with the moment it had taken it. It runs under the lock, before the traces of that
// holder are gone; its error ends Lock.
func Lock(ctx context.Context, root *os.Root, name, what string, died func(since time.Time) error) (unlock func() error, err error) {
	path := filepath.Join(root.Name(), name)
	f, err := openLock(root, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	// The library opens the file by its path. It only locks what it opens there; memctl
	// reads and writes the holder through f.
	fl := flock.New(path, flock.SetFlag(os.O_RDWR), flock.SetPermissions(0o600))
	// Tried first without the context: what the system says of the file is
	// not somebody else's lock.
	ok, err := fl.TryLock()
	if err != nil {
		return nil, named(path, err)
	}
	if !ok {
		ok, err = inLine(ctx, fl)
	}
	if !ok && (err == nil || ctx.Err() != nil) {
		held := heldError(root, name, ctx.Err())
		held.Ended = held.PID > 0 && ended(held.PID)
		return nil, held
	}
	if err != nil {
		return nil, named(path, err)
	}
	if left := heldError(root, name, nil); died != nil && left.PID > 0 {
		if info, err := f.Stat(); err == nil {
			if err := died(info.ModTime()); err != nil {
				return nil, errors.Join(err, fl.Unlock())
			}
		}
	}
	if err := writeHolder(f, fmt.Sprintf("%d %s", os.Getpid(), what)); err != nil {
		return nil, errors.Join(named(path, err), fl.Unlock())
	}
	return func() error {
		// An empty line first: nobody shall read our name as the next holder's.
		err := writeHolder(f, "")
		if err := errors.Join(err, fl.Unlock(), f.Close()); err != nil {
			return named(path, err)
		}
		return nil
	}, nil
}

// openLock opens the lock's file, and makes it where there is none. It never blocks.
func openLock(root *os.Root, name string) (f *os.File, err error) {
	if _, err := lstat(root, name); ignoreMissing(err) != nil {
		return nil, err
	}
	f, err = root.OpenFile(name, os.O_CREATE|os.O_RDWR|openNonblock, 0o600)
	if err != nil {
		return nil, named(filepath.Join(root.Name(), name), err)
	}
	// The second look is at the file that is open: a link may have taken its place.
	there, err := lstat(root, name)
	opened, failed := f.Stat()
	if err = errors.Join(err, failed); err == nil && !os.SameFile(there, opened) {
		err = &ChangedError{Name: name}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// inLine waits in the system's own line, where who came first is served first.
// Trying again and again would let newcomers pass, and among many writers one
// of them would wait until its time is over.
func inLine(ctx context.Context, fl *flock.Flock) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	got := make(chan error, 1)
	go func() { got <- fl.Lock() }()
	select {
	case err := <-got:
		return err == nil, err
	case <-ctx.Done():
		go func() {
			if <-got == nil { // it came too late: the next in line may have it
				_ = fl.Unlock()
			}
		}()
		return false, ctx.Err()
	}
}

// Patience is a context for Lock that ends when one holder has kept the lock
// for as long as each, and after most at the latest: a line that moves is worth
// standing in.
func Patience(ctx context.Context, root *os.Root, name string, each, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	go func() {
		tick := time.NewTicker(min(holderPoll, each))
		defer tick.Stop()
		holder, since := "", time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now := holderLine(root, name); now != holder {
				holder, since = now, time.Now()
			} else if time.Since(since) >= each {
				cancel()
				return
			}
		}
	}()
	return ctx, cancel
}

// holderLine tells one holder of the lock from the next.
func holderLine(root *os.Root, name string) string {
	held := heldError(root, name, nil)
	return strconv.Itoa(held.PID) + " " + held.Holder
}

// writeHolder writes one line over the old one. The file is not truncated:
// readers stop at the line's end, and Windows refuses to cut a locked file.
func writeHolder(f *os.File, line string) error {
	_, err := f.WriteAt([]byte(oneLine(line)+"\n"), holderAt)
	return err
}

// oneLine makes text safe to stand on one line of at most holderMax bytes.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) > holderMax {
		s = strings.ToValidUTF8(s[:holderMax], "")
	}
	return s
}

// ended reports whether no process of that id runs here; false where nobody can tell.
func ended(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func heldError(root *os.Root, name string, cause error) *HeldError {
	e := &HeldError{Path: filepath.Join(root.Name(), name), Cause: cause}
	f, _, err := openRegular(root, name)
	if err != nil {
		return e
	}
	defer func() { _ = f.Close() }()
	buf, err := io.ReadAll(io.NewSectionReader(f, holderAt, holderMax+1))
	if err != nil && !errors.Is(err, fs.ErrClosed) && len(buf) == 0 {
		return e
	}
	line, _, whole := bytes.Cut(buf, []byte("\n"))
	pid, what, _ := strings.Cut(string(line), " ")
	if n, err := strconv.Atoi(pid); err == nil && whole && n > 0 {
		e.PID, e.Holder = n, oneLine(what)
	}
	return e
}
