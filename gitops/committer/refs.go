package committer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// errMoved: the ref is not what it was taken for.
var errMoved = errors.New("the ref has moved")

// refLockStale is how old a lock on a ref of ours must be to count as left by
// a killed process: it is held for microseconds.
const refLockStale = 10 * time.Second

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
	if next == "" || !plainRefs(r) || r.ShareBits() != 0 {
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
		if err = os.Rename(file+".lock", file); err == nil {
			return nil
		}
	}
	return errors.Join(err, unlock())
}

// lockRef makes the ref's lock as git does, with the new value in it. The
// value is written elsewhere first and linked, so that a killed process leaves
// no lock but in the microseconds between link and rename.
func lockRef(ctx context.Context, r *gitops.Repo, file, next string) (unlock func() error, err error) {
	lock := file + ".lock"
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	if err := r.MakeOwnFolder(); err != nil {
		return nil, err
	}
	temp := filepath.Join(r.CommonDir, "memctl", safefile.TempName())
	if err := makeRefFile(temp, next); err != nil {
		return nil, err
	}
	// What cannot be removed goes with a later write into that folder.
	defer func() { _ = os.Remove(temp) }()
	unlock = func() error { return os.Remove(lock) }
	for deadline := time.Now().Add(gitops.LockPatience); ; {
		err := os.Link(temp, lock)
		if err == nil {
			return unlock, nil
		}
		if !errors.Is(err, fs.ErrExist) { // a file system without links
			if err = makeRefFile(lock, next); err == nil {
				return unlock, nil
			}
			if !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		if info, statErr := os.Lstat(lock); statErr == nil && time.Since(info.ModTime()) > refLockStale {
			_ = unlock()
			continue
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return nil, gitops.Blocked(gitops.WhyLocked, lock)
		}
		time.Sleep(gitops.RetryFirst)
	}
}

func makeRefFile(name, id string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// updateRef lets git do it.
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
