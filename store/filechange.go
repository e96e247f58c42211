package store

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// MemoriesDir is the folder beside the memory file that holds entries and notes.
const MemoriesDir = "memories"

// FileChange is one file that an act changes.
type FileChange struct {
	Path   string `json:"path"`             // from the store's folder, slash-separated
	Before []byte `json:"before,omitempty"` // what must be on disk; nil: nothing
	After  []byte `json:"after,omitempty"`  // what shall be; nil: removed
}

var errNoPath = errors.New("not the path of a file under")

// CheckFilePath refuses what is no plain path under memories/.
func CheckFilePath(p string) error {
	bad := !strings.HasPrefix(p, MemoriesDir+"/") || path.Clean(p) != p || strings.ContainsAny(p, "\x00\\") ||
		!filepath.IsLocal(filepath.FromSlash(p))
	for part := range strings.SplitSeq(p, "/") {
		bad = bad || strings.EqualFold(part, ".git")
	}
	if bad {
		return fmt.Errorf("%q: %w %s/", p, errNoPath, MemoriesDir)
	}
	return nil
}

// GitPathOf is the path of one of the store's files in its repository.
func (st *Store) GitPathOf(file string) string {
	return path.Join(path.Dir(st.GitPath()), file)
}

// GitPaths are the changed files' paths in the repository.
func (st *Store) GitPaths(changes []FileChange) []string {
	folder := path.Dir(st.GitPath())
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = path.Join(folder, c.Path)
	}
	return paths
}
