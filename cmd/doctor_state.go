package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// checkState looks at memctl's own folders: can they be written, and does
// somebody hold the lock.
func (s *session) checkState() []check {
	checks := []check{checkData(s.stores.DataDir())}
	own, err := s.stores.Session(s.ctx)
	if err != nil {
		return checks
	}
	locals := own.Locals()
	if !filepath.IsAbs(locals[0]) {
		return checks // in the data folder, which there is none of
	}
	if slices.ContainsFunc(txn.DamagedState(own), statedir.IsLink) {
		return checks // checkUnfinished names it, and no check follows it
	}
	checks = append(checks, checkWritable("local state", locals[0]))
	checks = append(checks, checkLock(s.ctx, own, filepath.Join(locals[0], "lock")))
	if names, ours := own.LocksLeft(); len(names) > 0 {
		c := check{Name: "git's locks", Status: checkWarn, Said: names[0] + " is old: if no git is running here, a killed git command left it", Fix: "memctl doctor --fix"}
		if !ours {
			c.Fix = "rm " + names[0]
		}
		checks = append(checks, c)
	}
	return checks
}

// checkSparse tells of entries that a sparse checkout hides.
func (s *session) checkSparse() []check {
	st, err := s.stores.Get(s.ctx, store.Project)
	if err != nil {
		return nil
	}
	fix := contents.LeftOut(s.ctx, st)
	if fix == "" {
		return nil
	}
	return []check{{Name: "sparse checkout", Status: checkWarn, Said: "the sparse checkout leaves facts and notes out, so they are not read", Fix: fix}}
}

// checkData looks at the data folder, which there may be none of.
func checkData(dir string) check {
	if dir == "" {
		return check{Name: "data folder", Status: checkFail, Said: "none: HOME is not an absolute path", Fix: "export XDG_DATA_HOME=FOLDER"}
	}
	return checkWritable("data folder", dir)
}

// checkWritable tries the folder, or the nearest above it that there is, with
// a file that is gone again at once: permission bits alone do not tell of
// sandboxes and read-only mounts.
func checkWritable(name, dir string) check {
	c := check{Name: name, Status: checkOK, Said: dir}
	there := dir
	for {
		if _, err := os.Stat(there); !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	probe, err := os.CreateTemp(there, ".memctl-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		c.Status, c.Said, c.Fix = checkFail, unwritten(there, err), "chmod u+w "+there
		if errors.Is(err, syscall.EROFS) {
			c.Fix = "run memctl outside the sandbox"
		}
	}
	return c
}

// unwritten says why the folder cannot be written, without the name of the file
// that was tried.
func unwritten(dir string, err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return named(dir, "cannot be written: "+err.Error())
}

// checkLock tries the lock once, without waiting. It makes no lock file.
func checkLock(ctx context.Context, st *store.Store, path string) check {
	c := check{Name: "lock", Status: checkOK, Said: "free"}
	if _, err := os.Stat(path); err != nil {
		return c
	}
	unlock, err := st.TryLock(ctx)
	held := fault.Find(err, fault.LockHeld)
	switch {
	case held != nil:
		c.Status, c.Said = checkWarn, held.Error()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		c.Status, c.Said, c.Fix = checkFail, err.Error(), "chmod u+w "+path
	case err != nil:
		c.Status, c.Said = checkFail, explain(err).Error()
	default:
		if err := unlock(); err != nil {
			c.Status, c.Said = checkFail, explain(err).Error()
		}
	}
	return c
}

// checkDropped counts the memories that are no longer in the history of a branch.
func (s *session) checkDropped() (checks []check) {
	for _, scope := range s.stores.Scopes() {
		st, err := s.stores.Get(s.ctx, scope)
		if err != nil {
			continue
		}
		if note := ledger.DroppedNote(ledger.Dropped(s.ctx, st)); note != "" {
			checks = append(checks, check{Name: scope + " branch", Status: checkNote, Said: note})
		}
	}
	return checks
}
