package safefile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob lists what stands below the folder under the slashed pattern, as [path.Match] has
// it. The folder's own name is no pattern: one may well be called "[slug]". What cannot
// be read is passed over.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}
