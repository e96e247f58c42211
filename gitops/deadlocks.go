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
)

const (
	// lockSettles is how old a lock must be before anybody asks whether its git
	// still runs: programs that are no git hold one for milliseconds.
	lockSettles = time.Second
	// sinceSlack is what a file system's clock may be behind ours.
	sinceSlack = time.Second
)

// DropDeadLocks takes away the lock files that a git of ours left when it was
// killed: those made since then, where no git runs in the repository any more.
// They would block the person's own git for ever. It waits for a git that
// still runs, and for a lock to settle, up to a few seconds, and reports
// whether none is left. A zero since is where no death is known, in a repository
// of our own: a git that runs there is the person's, and not waited for.
func (r *Repo) DropDeadLocks(ctx context.Context, since time.Time) bool {
	unknown := since.IsZero()
	since = since.Add(-sinceSlack)
	for deadline := time.Now().Add(lockPatience); ; {
		locks := r.locksSince(since)
		if len(locks) == 0 {
			return true
		}
		if settled(locks) {
			if !r.gitRuns(ctx) {
				for _, name := range locks {
					_ = os.RemoveAll(name)
				}
				return len(r.locksSince(since)) == 0
			}
			if unknown {
				return false
			}
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		time.Sleep(retryMost)
	}
}

// LocalRemote is the remote's folder where it is one that git reaches by its
// path; "" where it is elsewhere.
func (r *Repo) LocalRemote(ctx context.Context, remote string) string {
	dir := strings.TrimPrefix(r.RemoteURL(ctx, remote), "file://")
	for _, gitDir := range []string{filepath.Join(dir, ".git"), dir, dir + ".git"} {
		if filepath.IsAbs(dir) && exists(filepath.Join(gitDir, "HEAD")) && exists(filepath.Join(gitDir, "objects")) {
			return gitDir
		}
	}
	return ""
}

// DropDeadRemoteLocks is DropDeadLocks for a remote on this machine: a push that
// is killed takes the git with it that works there. One that is elsewhere is its
// own host's to mend.
func (r *Repo) DropDeadRemoteLocks(ctx context.Context, remote string, since time.Time) bool {
	dir := r.LocalRemote(ctx, remote)
	return dir == "" || (&Repo{Root: dir, GitDir: dir, CommonDir: dir}).DropDeadLocks(ctx, since)
}

// locksSince lists the lock files made since then, in the folders of all
// worktrees: a lock of ours is shared among them.
func (r *Repo) locksSince(since time.Time) (list []string) {
	dirs, _ := filepath.Glob(filepath.Join(r.CommonDir, "worktrees", "*"))
	for _, dir := range slices.Compact(append(dirs, r.GitDir, r.CommonDir)) {
		for _, pattern := range []string{"*.lock", ownIndexPrefix + "*", "packed-refs.new", "gc.pid"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			list = append(list, names...)
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
		if err == nil && !seen[name] && info.ModTime().After(since) {
			made, seen[name] = append(made, name), true
		}
	}
	return made
}

func settled(locks []string) bool {
	for _, name := range locks {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) < lockSettles {
			return false
		}
	}
	return true
}

// checkLocks looks for a lock that a git of ours, which failed for another reason
// than a lock, made since then and could not take away. One that another program
// holds is another one, or gone, in a moment. Where there was a lock before, or git
// said that somebody holds one, it is not ours to judge.
func (r *Repo) checkLocks(ctx context.Context, since time.Time) {
	first := r.usualLocks()
	for range lockLooks {
		if first == "" || first != r.usualLocks() {
			return
		}
		time.Sleep(retryFirst)
	}
	r.DropDeadLocks(ctx, since)
}

// lockLooks is how often the same lock must be seen to count as left behind.
const lockLooks = 20

// usualLocks names the locks that stand in the way of a commit, and when they
// were made.
func (r *Repo) usualLocks() (found string) {
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

// dropUnremoved takes away the lock files that a git, which ran in dir, says it held
// and could not remove: it did its work, and they would stand for ever.
func dropUnremoved(dir, stderr string) {
	for line := range strings.Lines(stderr) {
		_, rest, _ := strings.Cut(line, "unable to unlink '")
		name, _, ok := strings.Cut(rest, "': ")
		if !ok || !strings.HasSuffix(name, ".lock") {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		_ = os.Remove(name)
	}
}

// killed reports whether the command was ended by a signal that nobody here
// sent: then it could not take its locks away.
func killed(err error) bool {
	var e *runError
	return errors.As(err, &e) && e.signal
}
