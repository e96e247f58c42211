package store

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// shared is the state that all worktrees of the store's repository share: the
// lock, the queue, the hashes of forgotten values.
func (st *Store) shared() local {
	if st.Repo != nil {
		return inGitFolder(st.Repo.CommonDir, st.stateSuffix())
	}
	return st.ss.outside(st.Dir)
}

// worktree is the state of one worktree: the snapshot.
func (st *Store) worktree() local {
	if st.Repo != nil {
		return inGitFolder(st.Repo.GitDir, st.stateSuffix())
	}
	return st.ss.outside(st.Dir)
}

// stateSuffix keeps the state of a store below the repository's top apart
// from that of the repository itself.
func (st *Store) stateSuffix() string {
	if sameFolder(st.Dir, st.Repo.Root) {
		return ""
	}
	return filepath.Join("stores", stateKey(st.Dir))
}

// inGitFolder is the state in a git folder, with the elements of the way below it.
func inGitFolder(dir string, below ...string) local {
	return local{dir: filepath.Join(append([]string{dir, "memctl"}, below...)...), top: dir}
}

// session is where the acts of this session's worktree are recorded.
func (ss *Stores) session() local {
	if ss.repo != nil {
		return inGitFolder(ss.repo.CommonDir)
	}
	return ss.outside(ss.folder())
}

// folder is the project's folder, or the session's own where there is no
// project: what one folder's acts are kept under shall be no other's.
func (ss *Stores) folder() string {
	if ss.root != "" {
		return ss.root
	}
	if dir, err := filepath.Abs(ss.env.Dir); err == nil {
		return dir
	}
	return ss.env.Dir
}

// place is folder as the repository itself calls it, which stays when it is moved: git's
// name of the worktree, and the way from its top; "" outside a repository.
func (ss *Stores) place() string {
	if ss.repo == nil {
		return ""
	}
	way, err := filepath.Rel(ss.repo.Root, ss.folder())
	if err != nil || !filepath.IsLocal(way) {
		return ""
	}
	return ss.repo.WorktreeName() + "/" + filepath.ToSlash(way)
}

// outside is the state of a folder that is in no repository.
func (ss *Stores) outside(dir string) local {
	return local{dir: filepath.Join(ss.data, "state", stateKey(dir)), top: ss.data}
}

// data is memctl's data folder itself.
func (ss *Stores) dataState() local { return local{dir: ss.data, top: ss.data} }

// Locals lists the folders of local state of this session, for doctor.
func (st *Store) Locals() []string { return []string{st.shared().dir, st.worktree().dir} }

// stateKey names a folder outside any repository in memctl's data folder.
func stateKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16])
}

// sessions is where the events of this worktree's sessions are recorded.
func (ss *Stores) sessions() local {
	if ss.Repo() != nil {
		return inGitFolder(ss.Repo().GitDir)
	}
	return ss.outside(ss.folder())
}
