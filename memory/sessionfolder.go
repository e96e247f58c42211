package memory

import (
	"path/filepath"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/store"
)

// IsSessionFolder reports whether a folder belongs to the session's repository, or is the session's folder
// outside a repository. Another worktree of the repository belongs to it, and so does a folder of
// it that no longer exists.
func IsSessionFolder(ss *store.Stores, folder string) bool {
	repo, err := gitops.Open(folder)
	switch {
	case err == nil && ss.Repo() != nil && repo.CommonDir == ss.Repo().CommonDir:
		return true
	case err == nil && repo.Root != "":
		return false
	case err != nil && ss.Repo() == nil && store.SameFolder(folder, ss.ActsFolder()):
		return true
	}
	rel, err := filepath.Rel(ss.Root(), folder)
	return err == nil && ss.Repo() != nil && filepath.IsLocal(rel)
}
