package gitops

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// LockPatience is how long git's own locks are waited for. A person's
	// command holds them for milliseconds; a stale one is held for ever.
	LockPatience = 5 * time.Second
	// busyPatience is for a repository where other gits get on with their work.
	busyPatience = 8 * time.Second
	// RetryFirst is the first pause between two tries.
	RetryFirst = 5 * time.Millisecond
	// RetryMost is short: where a person's git runs in a loop, the moments
	// between two of its locks are as short.
	RetryMost = 50 * time.Millisecond
)

// Retry runs a writing command again while another git holds a lock, with
// growing pauses of random length so that two waiters do not stay in step. A
// git that was killed is started once more when its locks are gone. It gives
// the public error.
func (r *Repo) Retry(ctx context.Context, do func() error) error {
	last := time.Now().Add(busyPatience)
	deadline, seen := time.Now().Add(LockPatience), r.lastWrite()
	again := true
	for pause := RetryFirst; ; pause = min(2*pause, RetryMost) {
		free, begun := r.CommitLocks() == "", time.Now()
		err := do()
		if again && free && killed(err) && r.DropOwnLocks(ctx, begun) {
			again = false
			continue
		}
		if err == nil || !IsLocked(err) {
			return r.Explain(err)
		}
		if now := r.lastWrite(); now != seen {
			seen, deadline = now, last // somebody else's git got through: the lock is not stale
		}
		wait := pause/2 + rand.N(pause)
		if time.Now().Add(wait).After(deadline) {
			return r.Explain(err)
		}
		select {
		case <-ctx.Done():
			return r.Explain(err)
		case <-time.After(wait):
		}
	}
}

// lastWrite tells one state of the index from the next.
func (r *Repo) lastWrite() time.Time {
	fi, err := os.Stat(filepath.Join(r.GitDir, "index"))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// IsLocked reports whether another process was faster: a lock file that exists, or a ref that
// moved between reading and writing.
func IsLocked(err error) bool {
	if errors.Is(err, ErrIndexMoved) || BlockedBy(err) == WhyLocked {
		return true
	}
	var e *RunError
	return errors.As(err, &e) && e.why() == WhyLocked
}

// why is what git says keeps it from writing, "" if it is something else. Git ends with the same status
// whatever the reason, so only its words tell. The first that match count: a full disk and a folder that
// is not writable also show as a lock that cannot be made.
func (e *RunError) why() string {
	for _, reason := range []struct{ text, why string }{
		{"No space left on device", WhyNoSpace},
		{"Disk quota exceeded", WhyNoSpace},
		{"insufficient permission for adding an object", WhyNotWritable},
		{"': Permission denied", WhyNotWritable},
		{"Read-only file system", WhyNotWritable},
		{".lock': File exists", WhyLocked},
		{"cannot lock ref", WhyLocked},
		{"could not lock config file", WhyLocked},
		{"nable to write new index file", WhyLocked},
		{"unable to write new_index file", WhyLocked},
		{"Another git process seems to be running", WhyLocked},
	} {
		if strings.Contains(e.Full, reason.text) {
			return reason.why
		}
	}
	return ""
}

// Explain turns what a command said into the error that callers see.
func (r *Repo) Explain(err error) error {
	var e *RunError
	if errors.Is(err, ErrIndexMoved) {
		return Blocked(WhyLocked, "")
	}
	if !errors.As(err, &e) {
		return err
	}
	detail := strings.TrimSpace(e.Full)
	for _, folder := range []string{r.GitDir, r.CommonDir, filepath.Join(r.CommonDir, "objects"), filepath.Join(r.CommonDir, "refs", "heads")} {
		if Exists(folder) && !writable(folder) {
			return Blocked(WhyNotWritable, detail)
		}
	}
	if why := e.why(); why != "" {
		return Blocked(why, detail)
	}
	return e.Public
}

// PublicError strips what only this package needs.
func PublicError(err error) error {
	var e *RunError
	if errors.As(err, &e) {
		return e.Public
	}
	return err
}

// ErrIndexMoved: another git wrote the index, or moved HEAD, since it was read.
var ErrIndexMoved = errors.New("another git wrote the index")
