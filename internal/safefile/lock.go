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
	"time"

	"github.com/gofrs/flock"

	"github.com/memctl/memctl/internal/fault"
)

// Held is the error of a lock that was not got in time: why is the context's error. pid and
// what are the process that the lock's file names as its holder; 0 for none.
func Held(path string, pid int, what string, why error) *fault.Error {
	cause := "locked by another process"
	switch {
	case pid > 0 && gone(pid): // another process has it, and has not written its name yet, or runs on another machine
		cause += fmt.Sprintf("; %d (%s), which is named there, does not run on this machine any more", pid, what)
	case pid > 0:
		cause = fmt.Sprintf("locked by process %d (%s)", pid, what)
	}
	return &fault.Error{Code: fault.LockHeld, Thing: path, Cause: cause, Err: why}
}

const (
	// holderPoll is the pause after which a waiting process looks who holds the lock; the next pauses
	// are longer.
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
// returned. Errors: fault.LockHeld, which names the holder; fault.NotAFile,
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
	fl := flock.New(path, flock.SetFlag(os.O_RDWR|Nonblock), flock.SetPermissions(0o600))
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
		pid, what := holder(root, name)
		return nil, Held(path, pid, what, ctx.Err())
	}
	if err != nil {
		return nil, named(path, err)
	}
	if pid, _ := readHolder(f); died != nil && pid > 0 {
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
	_, missing := lstat(root, name)
	if ignoreMissing(missing) != nil {
		return nil, missing
	}
	f, err = openFile(root, name, os.O_CREATE|os.O_RDWR|Nonblock, 0o600)
	if err != nil {
		return nil, named(filepath.Join(root.Name(), name), err)
	}
	// The second look is at the file that is open: a link may have taken its place.
	there, err := lstat(root, name)
	opened, failed := f.Stat()
	if err = errors.Join(err, failed); err == nil && !os.SameFile(there, opened) {
		err = Changed(name)
	}
	if missing != nil && err == nil {
		err = giveToOwner(root, name)
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

// Patience returns a context for Lock. It ends when one holder has kept the lock for as long as
// each, and after most at the latest: while holders change, waiting helps.
func Patience(ctx context.Context, root *os.Root, name string, each, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	go func() {
		holder, since := "", time.Now()
		// Many waiters that look often keep the holder from its work.
		for pause := min(holderPoll, each); ; pause = min(2*pause, max(holderPoll, each/8)) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
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
	pid, what := holder(root, name)
	return strconv.Itoa(pid) + " " + what
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

// holder reads who holds the lock, and what for; 0 where that cannot be read.
func holder(root *os.Root, name string) (pid int, what string) {
	f, _, err := openRegular(root, name)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = f.Close() }()
	return readHolder(f)
}

// readHolder is holder for the open file.
func readHolder(f *os.File) (pid int, what string) {
	buf, err := io.ReadAll(io.NewSectionReader(f, holderAt, holderMax+1))
	if err != nil && !errors.Is(err, fs.ErrClosed) && len(buf) == 0 {
		return 0, ""
	}
	line, _, whole := bytes.Cut(buf, []byte("\n"))
	id, what, _ := strings.Cut(string(line), " ")
	if n, err := strconv.Atoi(id); err == nil && whole && n > 0 {
		return n, oneLine(what)
	}
	return 0, ""
}
