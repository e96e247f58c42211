package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

const (
	// lockSettles is the age at which a lock counts as left behind that was made since an
	// act died: its own git, which may live on, needs milliseconds.
	lockSettles = time.Second
	// sinceSlack is what a file system's clock may be behind ours.
	sinceSlack = time.Second
)

// DropDeadLocks removes the locks that were made after since and are old enough: memctl, or a git
// that it started, was killed and left them. They would block the person's own git for ever. It
// waits until they are old enough, and reports whether none is left. A zero since, for memctl's own
// repositories, means all locks. Inside a hook, and while an editor is open, locks may be that
// git's, and stay.
func (r *Repo) DropDeadLocks(ctx context.Context, since time.Time) bool {
	since = since.Add(-sinceSlack)
	for deadline := time.Now().Add(LockPatience); ; time.Sleep(RetryMost) {
		locks := r.locksSince(since)
		if len(locks) == 0 {
			return true
		}
		if why, _, _ := r.findBlocker(); why == WhyInside || why == WhyCommit || time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		if LocksSettled(locks) {
			for _, name := range locks {
				_ = os.RemoveAll(name)
			}
			return len(r.locksSince(since)) == 0
		}
	}
}

// NoteLockLeft remembers a git of ours that was ended by a signal, ours or another's.
func (r *Repo) NoteLockLeft(begun time.Time, err error) {
	var e *RunError
	if !errors.As(err, &e) || e.signal {
		r.killedSince.CompareAndSwap(0, begun.UnixNano())
	}
}

// LocksLeft reports whether there are locks that a git of ours may have left, because it was killed
// or could not remove them. They were made after since.
func (r *Repo) LocksLeft() (since time.Time, left bool) {
	struck := r.killedSince.Load()
	if struck == 0 {
		return time.Time{}, false
	}
	since = time.Unix(0, struck)
	return since, len(r.locksSince(since.Add(-sinceSlack))) > 0
}

// OldLocks lists the locks in the repository if all are older than a running git needs: a killed
// one may have left them.
func (r *Repo) OldLocks() []string {
	locks := r.locksSince(time.Time{})
	if !LocksSettled(locks) {
		return nil
	}
	return locks
}

// locksSince lists the lock files made since then, in the folders of all
// worktrees: a lock of ours is shared among them.
func (r *Repo) locksSince(since time.Time) (list []string) {
	dirs := safefile.Glob(r.CommonDir, "worktrees/*")
	for _, dir := range slices.Compact(append(dirs, r.GitDir, r.CommonDir)) {
		for _, pattern := range []string{"*.lock", OwnIndexPrefix + "*", "packed-refs.new", "gc.pid"} {
			list = append(list, safefile.Glob(dir, pattern)...)
		}
		for _, below := range []string{"refs", "logs", filepath.Join("objects", "info")} {
			_ = filepath.WalkDir(filepath.Join(dir, below), func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && strings.HasSuffix(name, ".lock") {
					list = append(list, name)
				}
				return nil // what cannot be read is passed over
			})
		}
	}
	var made []string
	seen := map[string]bool{}
	for _, name := range list {
		info, err := os.Lstat(name)
		if err == nil && !seen[name] && madeAt(info).After(since) {
			made, seen[name] = append(made, name), true
		}
	}
	return made
}

// LocksSettled reports whether each lock is old enough to count as left behind.
func LocksSettled(locks []string) bool {
	for _, name := range locks {
		if info, err := os.Lstat(name); err == nil && time.Since(madeAt(info)) < lockSettles {
			return false
		}
	}
	return true
}

// cleanupContext is a context with the time to take locks away where the given one was
// cancelled: who is told to stop leaves nothing behind.
func cleanupContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), EndDelay)
}

// DropOwnLocks takes away the locks of a git of ours that was killed, and reports whether
// none is left.
func (r *Repo) DropOwnLocks(ctx context.Context, since time.Time) bool {
	ctx, cancel := cleanupContext(ctx)
	defer cancel()
	return r.DropDeadLocks(ctx, since)
}

// CommitLocks names the locks that stand in the way of a commit, and when they
// were made.
func (r *Repo) CommitLocks() (found string) {
	names := []string{filepath.Join(r.GitDir, "index.lock"), filepath.Join(r.GitDir, "HEAD.lock")}
	if s, err := r.State(); err == nil && s.Branch != "" {
		names = append(names, filepath.Join(r.CommonDir, "refs", "heads", filepath.FromSlash(s.Branch)+".lock"))
	}
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil {
			found += name + info.ModTime().String()
		}
	}
	return found
}

// killed reports whether the command was ended by a signal that nobody here
// sent: then it could not take its locks away.
func killed(err error) bool {
	var e *RunError
	return errors.As(err, &e) && e.signal
}

// OwnIndexPrefix begins the name of the folder with an index of ours.
const OwnIndexPrefix = "memctl-index-"
