package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// heldIndex is a copy of the worktree's index that a git of ours works on while this
// process holds the lock of the index. The copy takes its place when a commit has been
// made. So a new file is in no index that another git could commit, or take for something
// staged, before HEAD has it.
type heldIndex struct {
	index, lock string // the worktree's
	dir         string
	base, own   string      // in dir: what index was, and the copy
	staged      fs.FileInfo // own, before the commit
	begun       time.Time
	held        bool // the lock is this process's
}

// installLook is how often it is looked whether git has made the commit. Between that
// and the index in its place, HEAD has more than the index.
const installLook = 250 * time.Microsecond

// errIndexMoved: another git wrote the index after it was copied.
var errIndexMoved = errors.New("another git wrote the index")

// errNothing: what is to be committed is what HEAD has.
var errNothing = errors.New("nothing to commit")

// copiedIndex makes a copy of the index, without its lock: what is to be done before the
// commit keeps nobody out.
func (r *Repo) copiedIndex() (*heldIndex, error) {
	h := &heldIndex{index: filepath.Join(r.GitDir, "index"), begun: time.Now()}
	h.lock = h.index + ".lock"
	var err error
	if h.dir, err = os.MkdirTemp(r.GitDir, ownIndexPrefix); err != nil {
		return nil, lockFailure(h.lock, err)
	}
	h.base, h.own = filepath.Join(h.dir, "base"), filepath.Join(h.dir, "index")
	if err = copyIndex(h.index, h.base); err == nil {
		err = copyIndex(h.base, h.own)
	}
	if err != nil {
		return nil, errors.Join(err, h.drop())
	}
	return h, nil
}

// hold takes the index's lock, as every git that writes it does. Errors: what git would
// say where it cannot be taken; errIndexMoved.
func (h *heldIndex) hold() error {
	f, err := os.OpenFile(h.lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return lockFailure(h.lock, err)
	}
	h.held = true
	if err := f.Close(); err != nil {
		return err
	}
	was, wasErr := os.Stat(h.base)
	now, nowErr := os.Stat(h.index)
	if errors.Is(wasErr, fs.ErrNotExist) && errors.Is(nowErr, fs.ErrNotExist) {
		return nil
	}
	if wasErr != nil || nowErr != nil || !now.ModTime().Equal(was.ModTime()) || now.Size() != was.Size() {
		return errIndexMoved
	}
	return nil
}

// lockFailure is a lock that could not be made, in git's words.
func lockFailure(lock string, err error) error {
	said := err
	if errors.Is(err, fs.ErrExist) {
		said = errors.New("File exists.")
	} else if errors.Is(err, fs.ErrPermission) {
		said = errors.New("Permission denied")
	}
	line := fmt.Sprintf("fatal: Unable to create '%s': %v", lock, said)
	return &runError{public: &Error{Args: []string{"commit"}, Status: 128, Stderr: line}, full: line}
}

// copyIndex makes the copy: a second name, since git never writes into an index but
// puts another in its place. A true copy has the same time, by which git tells the files
// that may have changed since.
func copyIndex(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever added
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// env makes a git work on the copy.
func (h *heldIndex) env() []string { return []string{"GIT_INDEX_FILE=" + h.own} }

// drop lets the index go.
func (h *heldIndex) drop() (err error) {
	if h.held {
		err = os.Remove(h.lock)
		h.held = false
	}
	return errors.Join(err, os.RemoveAll(h.dir))
}

// watch puts the copy in the index's place as soon as git has written it once more,
// which a commit of some paths does when HEAD has moved, and a filter of the person's may
// do before. stop ends the looking.
func (h *heldIndex) watch(moved func() bool) (stop func()) {
	h.staged, _ = os.Stat(h.own)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for !h.written() || !moved() {
			select {
			case <-end:
				return
			case <-time.After(installLook):
			}
		}
		_ = h.install() // else the end of the commit does
	}()
	return func() {
		close(end)
		<-ended
	}
}

// written reports whether the copy is not the one that was staged.
func (h *heldIndex) written() bool {
	now, err := os.Stat(h.own)
	return err == nil && h.staged != nil && !os.SameFile(now, h.staged)
}

// install puts the copy in the index's place, where it is not there yet, and lets go of
// the lock: what the commit still does needs no index.
func (h *heldIndex) install() error {
	err := os.Rename(h.own, h.index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && os.Remove(h.lock) == nil {
		h.held = false
	}
	return err
}

// commitFresh runs the commit with new files of the worktree, which the index does not
// have: they are made known to a copy of it, and the lock of the index is held while git
// commits; where gits write it all the time (busy) from before that on. Errors:
// *BlockedError where a rebase or its like has begun; errIndexMoved; errNothing; those of
// git.
func (r *Repo) commitFresh(ctx context.Context, c call, paths, fresh []string, busy bool) (out []byte, err error) {
	h, err := r.copiedIndex()
	if err != nil {
		return nil, err
	}
	defer r.letGo(h)
	if busy {
		err = h.hold()
	}
	if err == nil {
		err = r.addOnce(ctx, fresh, h.env())
	}
	if err == nil && !busy {
		err = h.hold()
	}
	if err != nil {
		return nil, err
	}
	s, err := r.State()
	if err != nil {
		return nil, err
	}
	if why := operationWhy(s.Operation); why != "" {
		return nil, &BlockedError{Why: why}
	}
	c.env = append(c.env, h.env()...)
	moved := func() bool {
		now, err := r.State()
		return err == nil && now.Head != s.Head
	}
	stop := h.watch(moved)
	out, err = r.git(ctx, c)
	stop()
	switch {
	case err == nil || movedHead(err) || h.written() && moved():
		err = errors.Join(err, h.install())
	case statusOf(err) == 1:
		if differ, diffErr := r.differFromHead(ctx, paths, h.env()...); !differ && diffErr == nil {
			return nil, errNothing
		}
	}
	return out, err
}

// letGo drops the index. A lock that cannot be taken away is the next act's to mend.
func (r *Repo) letGo(h *heldIndex) {
	if err := h.drop(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.struck.CompareAndSwap(0, h.begun.UnixNano())
	}
}

// movedHead reports whether the commit was made, and git could not write the index.
func movedHead(err error) bool {
	var e *runError
	return errors.As(err, &e) && strings.Contains(e.full, "repository has been updated, but unable to write")
}
