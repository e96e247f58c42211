package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
)

// findRoot sets the project's folder: the top of the worktree, else the
// nearest folder upwards that holds .agent, else the session's folder itself;
// never the home folder. Where git cannot use the repository, that is the project all
// the same: its memory file is read, and binds. Where git refuses it because another user owns
// it, there is no project. Errors: those of Open.
func (ss *Stores) findRoot(ctx context.Context, dir string) error {
	find := gitops.Find
	if ss.env.StoreDir != "" {
		find = gitops.Open // a named folder is not what GIT_DIR is about
	}
	repo, err := find(dir)
	unusable := fault.Find(err, fault.Unusable)
	switch {
	case err == nil:
		ss.repo, ss.root = repo, repo.Root
	case errors.Is(err, gitops.ErrNotARepository):
		ss.root = ss.markedRoot(dir)
	case unusable != nil:
		ss.root, ss.rootErr = unusable.Thing, err
	default:
		ss.rootErr = err
	}
	if ss.env.StoreDir != "" {
		ss.root = dir
		if ss.repo != nil {
			return ss.repo.Refused(ctx)
		}
		return nil
	}
	if home := ss.Home(); home != "" && SameFolder(ss.root, home) {
		ss.repo, ss.root = nil, ""
		ss.rootErr = fault.New(fault.Scope, Project, "the home folder cannot be a project")
	}
	if ss.repo == nil {
		return nil
	}
	if err := ss.repo.Refused(ctx); err != nil {
		ss.repo, ss.root, ss.rootErr = nil, "", err
	}
	return nil
}

// Home is the home folder; "" where the environment names none that is the same
// from every folder.
func (ss *Stores) Home() string {
	if home := gitops.Home(ss.env.Getenv); filepath.IsAbs(home) {
		return home
	}
	return ""
}

// Getenv is a variable of the environment.
func (ss *Stores) Getenv(name string) string { return ss.env.Getenv(name) }

// markedRoot is the nearest folder from dir upwards, below the home folder,
// that holds a folder .agent; dir itself where none does.
func (ss *Stores) markedRoot(dir string) string {
	home := ss.Home()
	for at := dir; ; at = filepath.Dir(at) {
		if home != "" && SameFolder(at, home) || filepath.Dir(at) == at {
			return dir
		}
		if info, err := os.Lstat(filepath.Join(at, rootMarker)); err == nil && info.IsDir() {
			return at
		}
	}
}

// SameFolder reports whether two paths lead to one folder.
func SameFolder(a, b string) bool {
	if a == "" {
		return false
	}
	ai, errA := os.Stat(a)
	bi, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ai, bi)
}
