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
)

// HeldError says that a lock was not got in time.
type HeldError struct {
	Path   string
	PID    int    // the holder's process id, 0 where it could not be read
	Holder string // what the holder said it does, "" where it could not be read
	Cause  error  // the context's error: time ran out, or the wait was cancelled
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%q: locked by another process", e.Path)
	}
	return fmt.Sprintf("%q: locked by process %d (%s)", e.Path, e.PID, e.Holder)
}

// Unwrap gives the context's error, so that a cancelled wait can be told from
// one that ran out of time.
func (e *HeldError) Unwrap() error { return e.Cause }

const (
	// lockPoll is how often a waiting process tries again.
	lockPoll = 5 * time.Millisecond
	// holderAt is where the holder's line begins. Windows locks the first byte
	// against everybody's reading, so that one is left alone.
	holderAt = 1
	// holderMax bounds the holder's line in bytes.
	holderMax = 200
)

// Lock takes an exclusive lock on path (made if missing, mode 0600, its folder
// too), waiting until ctx ends; where ctx has ended already it still tries
// once. It writes who holds it (pid, what) into the file. The lock ends with
// unlock or with the process; the file stays, because removing it would let
// two processes lock two files of one name. Errors: *HeldError with the
// holder's description, or the system's cause with the path in front.
func Lock(ctx context.Context, path, what string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, named(path, err)
	}
	fl := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	// Tried first without the context: what the system says of the file is
	// not somebody else's lock.
	ok, err := fl.TryLock()
	if err != nil {
		return nil, named(path, err)
	}
	if !ok {
		ok, err = fl.TryLockContext(ctx, lockPoll)
	}
	if !ok && (err == nil || ctx.Err() != nil) {
		return nil, heldError(path, ctx.Err())
	}
	if err != nil {
		return nil, named(path, err)
	}
	if err := writeHolder(path, fmt.Sprintf("%d %s", os.Getpid(), what)); err != nil {
		return nil, errors.Join(named(path, err), fl.Unlock())
	}
	return func() error {
		// An empty line first: nobody shall read our name as the next holder's.
		err := writeHolder(path, "")
		if err := errors.Join(err, fl.Unlock()); err != nil {
			return named(path, err)
		}
		return nil
	}, nil
}

// writeHolder writes one line over the old one. The file is not truncated:
// readers stop at the line's end, and Windows refuses to cut a locked file.
func writeHolder(path, line string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line = oneLine(line)
	_, err = f.WriteAt([]byte(line+"\n"), holderAt)
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

func heldError(path string, cause error) *HeldError {
	e := &HeldError{Path: path, Cause: cause}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
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
