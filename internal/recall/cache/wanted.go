package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// homePrefix begins the name of a file in the person's home.
const homePrefix = "~/"

// wanted says which files of a store's folder are indexed beside the memory
// file: entries, and the Markdown files that the globs name.
type wanted struct {
	top    []string   // names in the store's own folder
	trees  []string   // folders to walk, none below another
	globs  [][]string // their parts
	files  []string   // of top, the names of instruction files
	nested func() []string
	in     string // see Request.NestedIn
	home   string
}

// topNames are the names to look at in the store's own folder and, of instruction files, below it.
func (s *scanner) topNames() []string {
	l, state := s.found.list, ""
	if info, err := os.Stat(s.wants.in); err == nil {
		if f := s.file(info); f.time != 0 {
			state = fmt.Sprint(f.size, f.time)
		}
	}
	if s.wants.nested != nil && (state == "" || state != l.NestedAt) {
		s.found.relist = s.found.relist || state != l.NestedAt
		l.Nested, l.NestedAt = s.wants.nested(), state
	}
	if len(s.wants.files) == 0 {
		return s.wants.top
	}
	return append(slices.Clip(s.wants.top), l.Nested...)
}

// stat looks at a file. An instruction file may be a link to another file of the project; one that is an instruction file is
// indexed under its own name.
func (w *wanted) stat(root *os.Root, name string) (fs.FileInfo, error) {
	if below, own := strings.CutPrefix(name, homePrefix); own {
		return os.Stat(filepath.Join(w.home, filepath.FromSlash(below)))
	}
	if behind := safefile.Behind(root, name); behind != name && slices.Contains(w.files, name) && !slices.Contains(w.files, behind) {
		return root.Lstat(behind)
	}
	return root.Lstat(name)
}

// maxGlobs bounds the globs, and maxStars the ** in one of them: each
// multiplies the ways to match.
const (
	maxGlobs = 64
	maxStars = 3
)

func (k *keeper) wants() wanted {
	w := wanted{trees: []string{entry.Root}}
	if k.st.Scope == store.User && k.req.Home != "" {
		w.top, w.home = k.req.Own, k.req.Home
	}
	if k.st.Scope == store.Private || k.st.Scope == store.User || k.st.OnDisk(entry.Root) != entry.Root {
		return w
	}
	for _, glob := range k.req.Paths[:min(len(k.req.Paths), maxGlobs)] {
		glob = path.Clean(strings.TrimPrefix(glob, "/"))
		if strings.HasSuffix(glob, ".md") && glob != ".." && !strings.HasPrefix(glob, "../") && strings.Count(glob, "**") <= maxStars {
			w.add(glob, !strings.Contains(glob, "/"))
		}
	}
	if k.st.Scope == store.Project {
		w.nested, w.in = k.req.Nested, k.req.NestedIn
		for _, name := range k.req.Files {
			if w.add(name, true) {
				w.files = append(w.files, name)
			}
		}
	}
	slices.Sort(w.trees)
	w.trees = slices.DeleteFunc(slices.Compact(w.trees), func(dir string) bool {
		return slices.ContainsFunc(w.trees, func(other string) bool { return other != dir && isUnder(other, dir) })
	})
	return w
}

// add takes a glob, or a name if there can be one, and reports whether it was a name.
func (w *wanted) add(glob string, named bool) bool {
	if named && !strings.ContainsAny(glob, `*?[\`) {
		w.top = append(w.top, glob)
		return true
	}
	parts := strings.Split(glob, "/")
	w.globs, w.trees = append(w.globs, parts), append(w.trees, fixed(parts))
	return false
}

// fixed is the folder that everything a glob matches stands below.
func fixed(parts []string) string {
	n := 0
	for n < len(parts)-1 && !strings.ContainsAny(parts[n], `*?[\`) {
		n++
	}
	return path.Join(append([]string{top}, parts[:n]...)...)
}

func isUnder(dir, name string) bool { return dir == top || strings.HasPrefix(name, dir+"/") }

// wantsFolder reports whether a folder is walked into: none that is hidden, or that
// holds other people's packages.
func (w *wanted) wantsFolder(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") && base != "node_modules" && base != "vendor"
}

// wantsFile reports whether a file is indexed.
func (w *wanted) wantsFile(name string) bool {
	if place, ok := entry.ParsePath(name); ok {
		return !place.Deleted
	}
	if slices.Contains(w.top, name) {
		return false // it is indexed already
	}
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(w.globs, func(glob []string) bool { return match(glob, parts) })
}

// match reports whether a path's parts fit the glob's; ** stands for any number
// of folders.
func match(glob, parts []string) bool {
	for len(glob) > 0 && glob[0] != "**" {
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], parts[0]); err != nil || !ok {
			return false
		}
		glob, parts = glob[1:], parts[1:]
	}
	if len(glob) == 0 {
		return len(parts) == 0
	}
	for n := range len(parts) + 1 {
		if match(glob[1:], parts[n:]) {
			return true
		}
	}
	return false
}
