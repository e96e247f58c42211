package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/policy"
)

// SharedState is the state that all worktrees of the store's repository share: the
// lock, the queue, the hashes of forgotten values.
func (st *Store) SharedState() statedir.Dir {
	if st.Repo != nil {
		return st.stateIn(st.Repo.CommonDir)
	}
	return st.Stores.OutsideState(st.Dir)
}

// WorktreeState is the state of one worktree: the snapshot.
func (st *Store) WorktreeState() statedir.Dir {
	if st.Repo != nil {
		return st.stateIn(st.Repo.GitDir)
	}
	return st.Stores.OutsideState(st.Dir)
}

// StateSuffix keeps the state of a store below the repository's top apart
// from that of the repository itself.
func (st *Store) StateSuffix() string {
	if st.Dir == st.Repo.Root || SameFolder(st.Dir, st.Repo.Root) {
		return ""
	}
	return filepath.Join(storesFolder, stateKey(st.Stores.KeyPath(st.Dir)))
}

// storesFolder has the state of stores below a repository's top.
const storesFolder = "stores"

// stateIn is the store's state in a git folder.
func (st *Store) stateIn(gitDir string) statedir.Dir {
	if st.StateSuffix() == "" {
		return st.Stores.inGitFolder(gitDir)
	}
	return st.Stores.state(st.Stores.keyed(filepath.Join(gitDir, "memctl", storesFolder), st.Dir), gitDir)
}

// inGitFolder is the state of a repository in its git folder.
func (ss *Stores) inGitFolder(dir string) statedir.Dir {
	return ss.state(filepath.Join(dir, "memctl"), dir)
}

// state is a folder of local state, to which a dry run writes nothing.
func (ss *Stores) state(folder, top string) statedir.Dir {
	return statedir.Dir{Folder: folder, Top: top, ReadOnly: ss.DryRun(), Kept: ss.folders}
}

// ActsFolder is the folder under whose name acts are kept: the project's, or the session's own if
// there is no project.
func (ss *Stores) ActsFolder() string {
	if ss.root != "" {
		return ss.root
	}
	if dir, err := filepath.Abs(ss.env.Dir); err == nil {
		return dir
	}
	return ss.env.Dir
}

// ActsPlace is folder as the repository itself calls it, which stays when it is moved: git's
// name of the worktree, and the way from its top; "" outside a repository.
func (ss *Stores) ActsPlace() string {
	if ss.repo == nil {
		return ""
	}
	way, err := filepath.Rel(ss.repo.Root, ss.ActsFolder())
	if err != nil || !filepath.IsLocal(way) {
		return ""
	}
	return ss.repo.WorktreeName() + "/" + filepath.ToSlash(way)
}

// OutsideState is the state of a folder that is in no repository.
func (ss *Stores) OutsideState(dir string) statedir.Dir {
	return ss.state(ss.keyed(filepath.Join(ss.data, "state"), dir), ss.data)
}

// DataState is memctl's data folder itself.
func (ss *Stores) DataState() statedir.Dir { return ss.state(ss.data, ss.data) }

// Locals lists the folders of local state of this session, for doctor.
func (st *Store) Locals() []string {
	return []string{st.SharedState().Folder, st.WorktreeState().Folder}
}

// keyed is where the state of a folder is, below another one.
func (ss *Stores) keyed(below, dir string) string {
	return filepath.Join(below, stateKey(ss.KeyPath(dir)))
}

// KeyPath is a folder's path as local state is keyed by it: on systems that ignore case the one without links, in lower case.
func (ss *Stores) KeyPath(dir string) string {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return dir
	}
	key, known := ss.resolved.Load("key " + dir)
	if !known {
		key = foldedPath(dir, SameFolder)
		ss.resolved.Store("key "+dir, key)
	}
	return key.(string)
}

// foldedPath is a folder's path without links, in lower case if the folder's volume ignores case; dir itself if there is no such
// folder.
func foldedPath(dir string, same func(a, b string) bool) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	if lower := strings.ToLower(real); same(real, lower) && same(real, strings.ToUpper(real)) {
		return lower
	}
	return real
}

// stateKey names a folder outside any repository in memctl's data folder.
func stateKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16])
}

// RepositoryState is where state lies that all worktrees of the repository share.
func (ss *Stores) RepositoryState() statedir.Dir {
	if ss.Repo() != nil {
		return ss.inGitFolder(ss.Repo().CommonDir)
	}
	return ss.OutsideState(ss.ActsFolder())
}

// SessionsState is where the events of this worktree's sessions are recorded.
func (ss *Stores) SessionsState() statedir.Dir {
	if ss.Repo() != nil {
		return ss.inGitFolder(ss.Repo().GitDir)
	}
	return ss.OutsideState(ss.ActsFolder())
}

// OwnScope is the scope of a file or folder that belongs to one of the person's own
// stores, whatever scope the session knows it by; "" of any other.
func (ss *Stores) OwnScope(path string) string {
	if ss.data == "" || path == "" {
		return ""
	}
	rel, err := filepath.Rel(ss.realPath(ss.data), ss.realPath(path))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	switch first, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); first {
	case Private, User:
		return first
	}
	return ""
}

// Rule asks the policy about the candidate, with what the team has added. What is in a store
// of the person's own is judged as theirs, also where the session stands in its folder or
// was given it with --store.
func (ss *Stores) Rule(c policy.Candidate) policy.Ruling {
	ss.ruling.Lock()
	c.Team = ss.TeamRules(c.Scope)
	if c.Scope == Project || c.Scope == Only {
		if ss.rootScope == nil {
			own := ss.OwnScope(ss.root)
			ss.rootScope = &own
		}
		if *ss.rootScope != "" {
			c.Scope = *ss.rootScope
		}
	}
	ss.ruling.Unlock()
	return policy.Rule(c)
}

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
	unusable := fault.Find(err, fault.RepositoryUnusable)
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
