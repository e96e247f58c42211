package committer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// errMoved: the ref does not have the expected value.
var errMoved = errors.New("the ref has moved")

// refLockStale is how old a lock on a ref of ours must be to count as left by
// a killed process: it is held for microseconds.
const refLockStale = 10 * time.Second

// WasHead reports whether HEAD, which is at the commit head, has ever been at the other one, as far as its log tells, and
// where its last line leads. A last line that HEAD has not followed is of a move that did not take place.
func WasHead(r *gitops.Repo, commit, head string) (was bool, last string) {
	data, _ := os.ReadFile(filepath.Join(r.GitDir, "logs", "HEAD"))
	for line := range strings.Lines(string(data)) {
		was = was || last == commit
		if f := strings.SplitN(line, " ", 3); len(f) == 3 {
			was, last = was || f[0] == commit, f[1]
		}
	}
	return was || last == commit && head == commit, last
}

// plainRefs reports whether refs are kept in files.
func plainRefs(r *gitops.Repo) bool {
	storage := r.FileConfig()["extensions.refstorage"]
	return storage == "" || storage == "files"
}

// journalTip is the journal's newest entry, "" where there is none.
func journalTip(ctx context.Context, r *gitops.Repo) (string, error) {
	if plainRefs(r) {
		id, target, err := r.ReadRef(JournalRef)
		if err == nil && target == "" {
			return id, nil
		}
		if target == "" {
			return "", nil // torn by a power cut: it is written anew
		}
		return "", fmt.Errorf("%q: points to another ref", JournalRef)
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"rev-parse", "-q", "--verify", JournalRef}})
	if gitops.StatusOf(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), gitops.PublicError(err)
}

// setRef moves a ref of our own if it still is what it was ("": not there).
// next "" removes it. Errors: errMoved; the cause.
func setRef(ctx context.Context, r *gitops.Repo, name, was, next string) error {
	if next == "" || !plainRefs(r) || r.Shared() {
		return updateRef(ctx, r, name, was, next)
	}
	file := filepath.Join(r.CommonDir, filepath.FromSlash(name))
	unlock, err := lockRef(ctx, r, file, next)
	if err != nil {
		return err
	}
	now, target, err := r.ReadRef(name)
	if err != nil && was == "" {
		now, err = "", nil // what cannot be read is replaced
	}
	if err == nil && (now != was || target != "") {
		err = errMoved
	}
	if err == nil {
		if err = safefile.Rename(file+".lock", file); err == nil {
			return nil
		}
	}
	return errors.Join(err, unlock())
}

// lockRef makes the ref's lock with the new value in it. It waits for another writer's, and
// removes one that a killed writer left.
func lockRef(ctx context.Context, r *gitops.Repo, file, next string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(gitops.LockPatience); ; time.Sleep(gitops.RetryFirst) {
		unlock, err := lockWith(r, file, func(f *os.File) error {
			_, err := f.WriteString(next + "\n")
			return errors.Join(err, f.Close())
		})
		if err == nil || !gitops.IsLocked(err) {
			return unlock, err
		}
		lock := file + ".lock"
		if info, statErr := os.Lstat(lock); statErr == nil && time.Since(info.ModTime()) > refLockStale {
			_ = os.Remove(lock)
		} else if time.Now().After(deadline) || ctx.Err() != nil {
			return nil, gitops.Blocked(gitops.WhyLocked, lock)
		}
	}
}

// updateRef is setRef by git.
func updateRef(ctx context.Context, r *gitops.Repo, name, was, next string) error {
	args := []string{"update-ref", "--no-deref", name, next, was}
	if next == "" {
		args = []string{"update-ref", "--no-deref", "-d", name, was}
	} else if was == "" {
		args[4] = strings.Repeat("0", len(next))
	}
	err := r.Retry(ctx, func() error {
		_, err := r.Git(ctx, gitops.Call{Args: args, Writes: true})
		return err
	})
	if gitops.BlockedBy(err) == gitops.WhyLocked {
		return errMoved
	}
	return err
}
