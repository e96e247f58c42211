package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
)

// MemoriesDir is the folder beside the memory file that holds entries and notes.
const MemoriesDir = "memories"

// FileChange is one file that an act changes.
type FileChange struct {
	Path   string `json:"path"`             // from the store's folder, slash-separated
	Before []byte `json:"before,omitempty"` // what must be on disk; nil: nothing
	After  []byte `json:"after,omitempty"`  // what shall be; nil: removed

	Written fs.FileInfo `json:"-"` // of the file as the act has written it; nil before
}

// SkillFolders are the folders of a store that hold skills.
var SkillFolders = []string{"skills", ".agents/skills", ".claude/skills"}

// IsSkill reports whether the path is that of a skill's file. The rules for memory do not fit
// it: skills are instructions, and the acts that write them check them by rules of their own.
func IsSkill(p string) bool {
	return slices.ContainsFunc(SkillFolders, func(folder string) bool { return strings.HasPrefix(p, folder+"/") })
}

// ContextDir is the folder of a store that holds agents' context files.
const ContextDir = MemoriesDir + "/context"

// IsContextFile reports whether the path is that of an agent's context file, which is no entry.
func IsContextFile(p string) bool { return strings.HasPrefix(p, ContextDir+"/") }

// IsMemory reports whether the rules for memory are for a file that an act changes. They are not for skills and
// for a person's own instructions.
func IsMemory(p string) bool { return !IsSkill(p) && !IsInstruction(p) }

var errNoPath = errors.New("not the path of a file of memory, of a skill or of instructions")

// CheckFilePath refuses what is no plain path under memories/ or a folder of skills, or of a file of instructions.
func CheckFilePath(p string) error {
	bad := !strings.HasPrefix(p, MemoriesDir+"/") && IsMemory(p) || path.Clean(p) != p || strings.ContainsAny(p, "\x00\\") ||
		!filepath.IsLocal(filepath.FromSlash(p))
	for part := range strings.SplitSeq(p, "/") {
		bad = bad || strings.EqualFold(part, ".git")
	}
	if bad {
		return fmt.Errorf("%q: %w", p, errNoPath)
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

// isAgentMemory reports whether a folder is agent-cli's memory, with entries/CONVERSATION at its
// top, and no store of memctl's.
func isAgentMemory(dir string) bool {
	for _, name := range []string{MemoriesDir, memfile.FileName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return false
		}
	}
	top := os.DirFS(dir)
	for _, kind := range []string{"facts", "turns", "summaries"} {
		if found, _ := fs.Glob(top, "entries/*/"+kind); len(found) > 0 {
			return true
		}
	}
	return false
}

// OnDisk is where the store's folder has one of its entries, or the folder of all: below memories/
// as its name says, but without that in agent-cli's memory.
func (st *Store) OnDisk(name string) string {
	switch {
	case !st.Stores.foreign:
		return name
	case name == MemoriesDir:
		return "."
	}
	return strings.TrimPrefix(name, MemoriesDir+"/")
}

// FromDisk is the name of what the store's folder has at a path: the reverse of OnDisk.
func (st *Store) FromDisk(at string) string {
	if !st.Stores.foreign {
		return at
	}
	return path.Join(MemoriesDir, at)
}

// readOnly refuses to write to agent-cli's memory: it has a list and an index of its own, which
// a file of memctl's would not be in.
func (st *Store) readOnly() error {
	if !st.Stores.foreign {
		return nil
	}
	return &fault.Error{
		Code: fault.Scope, Thing: st.Stores.env.StoreDir, Status: 1, Hints: []string{"memctl import " + shell.Quote(st.Stores.env.StoreDir)},
		Cause: "is agent-cli's memory, which memctl reads but does not change; import it to work with it",
	}
}

// ReadFile reads a file below a folder, of at most so many bytes; nil without an error is no file. Errors:
// fault.NotAFile, fault.TooLarge.
func ReadFile(folder, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, name, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && src == nil:
		return []byte{}, nil
	}
	return src, err
}
