package store

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/memctl/memctl/internal/store/statedir"
)

// SharedState is the state that all worktrees of the store's repository share: the
// lock, the queue, the hashes of forgotten values.
func (st *Store) SharedState() statedir.Dir {
	if st.Repo != nil {
		return st.Stores.inGitFolder(st.Repo.CommonDir, st.StateSuffix())
	}
	return st.Stores.OutsideState(st.Dir)
}

// WorktreeState is the state of one worktree: the snapshot.
func (st *Store) WorktreeState() statedir.Dir {
	if st.Repo != nil {
		return st.Stores.inGitFolder(st.Repo.GitDir, st.StateSuffix())
	}
	return st.Stores.OutsideState(st.Dir)
}

// StateSuffix keeps the state of a store below the repository's top apart
// from that of the repository itself.
func (st *Store) StateSuffix() string {
	if st.Dir == st.Repo.Root || SameFolder(st.Dir, st.Repo.Root) {
		return ""
	}
	return filepath.Join("stores", stateKey(st.Dir))
}

// inGitFolder is the state in a git folder, with the elements of the way below it.
func (ss *Stores) inGitFolder(dir string, below ...string) statedir.Dir {
	return ss.state(filepath.Join(append([]string{dir, "memctl"}, below...)...), dir)
}

// state is a folder of local state, to which a dry run writes nothing.
func (ss *Stores) state(folder, top string) statedir.Dir {
	return statedir.Dir{Folder: folder, Top: top, ReadOnly: ss.DryRun(), Kept: ss.folders}
}

// ActsFolder is the project's folder, or the session's own where there is no
// project: what one folder's acts are kept under shall be no other's.
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
	return ss.state(filepath.Join(ss.data, "state", stateKey(dir)), ss.data)
}

// data is memctl's data folder itself.
func (ss *Stores) DataState() statedir.Dir { return ss.state(ss.data, ss.data) }

// Locals lists the folders of local state of this session, for doctor.
func (st *Store) Locals() []string {
	return []string{st.SharedState().Folder, st.WorktreeState().Folder}
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
