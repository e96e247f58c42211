package committer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
)

// commitPlain builds the commit and makes it the branch's newest, without starting git.
// Where another git is faster it is built again. Errors: errGits, also where the system
// fails before anything was changed, since git has words for that; else those of Commit.
func commitPlain(ctx context.Context, r *gitops.Repo, req Request, message string) (hash string, err error) {
	var failed error
	err = r.Retry(ctx, func() error {
		if ctx.Err() != nil {
			return gitops.Failure(ctx, []string{"commit"}, ctx.Err(), "")
		}
		b, err := build(ctx, r, req, message)
		if err != nil {
			return err
		}
		if b.written, err = req.ahead(cmp.Or(b.id, b.parent), &failed); err != nil {
			return nil
		}
		if err = b.stamp(r); err == nil && (b.id != "" || b.differsFromHead()) {
			hash, err = publish(ctx, r, b)
		}
		return err
	})
	if failed != nil {
		return "", failed
	}
	if err == nil || hash != "" || ctx.Err() != nil || fault.Is(err, fault.Blocked) || fault.Is(err, fault.ChangedOnDisk) || fault.Is(err, fault.Moved) {
		return hash, err
	}
	return "", errGits
}

// differsFromHead reports whether the index lacks one of the files that HEAD has: the person's next
// commit would remove it.
func (b *built) differsFromHead() bool {
	var paths []string
	for _, c := range b.changes {
		paths = append(paths, c.Path)
	}
	found := map[string][]indexfile.Entry{}
	if b.index.data != nil {
		found, _ = indexfile.Find(b.index.data, b.index.idLen, paths)
	}
	for _, c := range b.changes {
		if c.Entry != nil && len(found[c.Path]) == 0 {
			return true
		}
	}
	return false
}

// publish puts the files' entries into the index and moves the branch to the commit, both
// under the index's lock. The index comes first: after a crash in between, the person's next commit has
// what is on disk. Errors: those that
// retry knows; fault.Blocked; the system's cause. Nothing has moved then.
func publish(ctx context.Context, r *gitops.Repo, b *built) (hash string, err error) {
	index := filepath.Join(r.GitDir, "index")
	written := uint32(0)
	if b.index.info != nil {
		written = uint32(b.index.info.ModTime().Unix())
	}
	next, err := indexfile.Splice(b.index.data, b.index.idLen, written, b.changes)
	if err != nil {
		return "", errGits
	}
	unlock, err := lockWith(r, index, func(f *os.File) error {
		_, err := f.Write(next.Bytes)
		if err = errors.Join(err, f.Close()); err == nil && next.Young && b.index.info != nil {
			err = os.Chtimes(f.Name(), b.index.info.ModTime(), b.index.info.ModTime())
		}
		return err
	})
	if err != nil {
		return "", err
	}
	moved := false
	moveIndex := func() error {
		err := safefile.Rename(index+".lock", index)
		moved = err == nil
		return err
	}
	if err = asBuilt(r, b); err == nil && b.id != "" {
		err = moveHead(r, b, moveIndex)
	} else if err == nil {
		err = moveIndex()
	}
	switch {
	case err == nil:
		return b.id, nil
	case moved && b.index.info == nil:
		return "", errors.Join(err, os.Remove(index)) // there was none; it needs no room on a full disk
	case moved:
		return "", errors.Join(err, Restage(context.WithoutCancel(ctx), r, b.request.Paths))
	}
	return "", errors.Join(err, unlock())
}

// asBuilt checks, under the index's lock, that the commit still fits: nobody has written
// the index or moved HEAD to another branch, and no rebase or its like has begun.
func asBuilt(r *gitops.Repo, b *built) error {
	if now, err := os.Stat(filepath.Join(r.GitDir, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) || !gitops.SameFile(now, b.index.info) {
		return gitops.ErrIndexMoved
	}
	if why := gitops.OperationWhy(r.Operation()); why != "" {
		return gitops.Blocked(why, "")
	}
	ref, _, err := headRef(r)
	if err != nil || ref != b.ref {
		return gitops.ErrIndexMoved
	}
	return nil
}

// moveHead moves the branch from the commit's parent to it, as git does: the locks of HEAD
// and the branch, the reflogs, the branch. moveIndex is called right before the branch moves.
func moveHead(r *gitops.Repo, b *built, moveIndex func() error) (err error) {
	if b.ref != "HEAD" {
		unlock, err := lockWith(r, filepath.Join(r.GitDir, "HEAD"), (*os.File).Close)
		if err != nil {
			return err
		}
		defer func() { _ = unlock() }()
	}
	file := filepath.Join(r.RefFolder(b.ref), filepath.FromSlash(b.ref))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	unlock, err := lockWith(r, file, func(f *os.File) error {
		_, err := f.WriteString(b.id + "\n")
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return err
	}
	if ref, now, err := headRef(r); err != nil || ref != b.ref || now != b.parent {
		return errors.Join(gitops.ErrIndexMoved, unlock())
	}
	if err := writeReflogs(r, b); err != nil {
		return errors.Join(err, unlock())
	}
	if err := moveIndex(); err != nil {
		return errors.Join(err, unlock())
	}
	if err := safefile.Rename(file+".lock", file); err != nil {
		return errors.Join(err, unlock())
	}
	return nil
}

// lockWith makes the lock of one of git's files as git does, with all that write puts into
// it: that is written elsewhere first and linked, so that a lock is never half written.
func lockWith(r *gitops.Repo, file string, write func(*os.File) error) (unlock func() error, err error) {
	if err := r.MakeOwnFolder(); err != nil {
		return nil, err
	}
	lock := file + ".lock"
	temp := filepath.Join(r.CommonDir, "memctl", safefile.TempName())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|safefile.Nonblock, 0o666)
	if err != nil {
		return nil, notMade(temp, err)
	}
	defer func() { _ = os.Remove(temp) }() // what cannot be removed goes with a later write into that folder
	if err := write(f); err != nil {
		return nil, err
	}
	begun := time.Now()
	unlock = func() error {
		err := os.Remove(lock)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.NoteLockLeft(begun, nil) // the end of the act mends it, or the next act
		}
		return err
	}
	switch err := os.Link(temp, lock); {
	case errors.Is(err, fs.ErrExist):
		return nil, gitops.Blocked(gitops.WhyLocked, lock)
	case err != nil: // a file system without links
		return nil, errGits
	}
	return unlock, nil
}

// notMade is the error of a file in the git folder that could not be made.
func notMade(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return gitops.Blocked(gitops.WhyNotWritable, name)
	}
	return err
}

// writeReflogs notes the commit in HEAD's log and in the branch's.
func writeReflogs(r *gitops.Repo, b *built) error {
	from, how := b.parent, "commit: "
	switch {
	case from == "":
		from, how = strings.Repeat("0", len(b.id)), "commit (initial): "
	case b.request.Merge != nil:
		how = "commit (merge): "
	}
	line := fmt.Sprintf("%s %s %s\t%s%s\n", from, b.id, b.signed, how, b.subject)
	logs := []string{filepath.Join(r.GitDir, "logs", "HEAD")}
	if b.ref != "HEAD" {
		logs = append(logs, filepath.Join(r.CommonDir, "logs", filepath.FromSlash(b.ref)))
	}
	makes := b.reflogs == "" || b.reflogs == "always" || gitops.IsTrue(b.reflogs)
	for _, name := range logs {
		flags := os.O_WRONLY | os.O_APPEND | safefile.Nonblock
		if makes {
			flags |= os.O_CREATE
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
		}
		f, err := os.OpenFile(name, flags, 0o666)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(line)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

const (
	// Git counts the loose objects in one of the 256 folders that hold them, and packs all
	// from 6,700 on (gc.auto): 27 in that folder.
	looseFolder = "objects/17"
	looseHere   = 27
	// looseOwn is the number from which a store of memctl's own is packed: 500 in all.
	looseOwn = 2
)

// Maintain has git pack the repository's loose objects where there are many: memctl's own
// commits leave each of theirs in a file, and unlike git's they start no housekeeping. In a
// person's repository git decides by their settings, in the background; a store of memctl's
// own is packed at once, which takes a twentieth of a second. Errors: fault.Blocked; *Error.
func Maintain(ctx context.Context, r *gitops.Repo, own bool) error {
	most := looseHere
	if own {
		most = looseOwn
	}
	if list, err := os.ReadDir(filepath.Join(r.CommonDir, filepath.FromSlash(looseFolder))); err != nil || len(list) < most {
		return nil
	}
	if off := r.FileConfig()["gc.auto"]; off == "0" || r.FileConfig()["maintenance.auto"] == "false" {
		return nil
	}
	c := gitops.Call{Args: []string{"gc", "--auto", "--quiet"}, Writes: true}
	if own {
		c.Config = []string{"gc.auto=500", "gc.autoDetach=false"}
	}
	_, err := r.Git(ctx, c)
	return gitops.PublicError(err)
}
