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

// wantedFiles says which files of a store's folder are indexed beside the memory
// file: entries, and the Markdown files that the globs name.
type wantedFiles struct {
	topNames         []string   // names in the store's own folder
	foldersToWalk    []string   // folders to walk, none below another
	globs            [][]string // their parts
	instructionFiles []string   // the names among topNames that are instruction files
	listNested       func() []string
	listNestedAfter  string // see Request.ListNestedAfter
	home             string
}

// topNames are the names to look at in the store's own folder and, of instruction files, below it.
func (s *scanner) topNames() []string {
	l, state := s.found.list, ""
	if info, err := os.Stat(s.wanted.listNestedAfter); err == nil {
		if f := s.stateOf(info); f.time != 0 {
			state = fmt.Sprint(f.size, f.time)
		}
	}
	if s.wanted.listNested != nil && (state == "" || state != l.NestedAt) {
		s.found.onlyListChanged = s.found.onlyListChanged || state != l.NestedAt
		l.Nested, l.NestedAt = s.wanted.listNested(), state
	}
	if len(s.wanted.instructionFiles) == 0 {
		return s.wanted.topNames
	}
	return append(slices.Clip(s.wanted.topNames), l.Nested...)
}

// stat looks at a file. An instruction file may be a link to another file of the project; one that is an instruction file is
// indexed under its own name.
func (w *wantedFiles) stat(root *os.Root, name string) (fs.FileInfo, error) {
	if below, own := strings.CutPrefix(name, homePrefix); own {
		return os.Stat(filepath.Join(w.home, filepath.FromSlash(below)))
	}
	if behind := safefile.Behind(root, name); behind != name && slices.Contains(w.instructionFiles, name) && !slices.Contains(w.instructionFiles, behind) {
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

func (k *updater) wantedFiles() wantedFiles {
	w := wantedFiles{foldersToWalk: []string{entry.Root}}
	if k.st.Scope == store.User && k.req.Home != "" {
		w.topNames, w.home = k.req.HomeFiles, k.req.Home
	}
	if k.st.Scope == store.Private || k.st.Scope == store.User || k.st.OnDisk(entry.Root) != entry.Root {
		return w
	}
	for _, glob := range k.req.MarkdownGlobs[:min(len(k.req.MarkdownGlobs), maxGlobs)] {
		glob = path.Clean(strings.TrimPrefix(glob, "/"))
		if strings.HasSuffix(glob, ".md") && glob != ".." && !strings.HasPrefix(glob, "../") && strings.Count(glob, "**") <= maxStars {
			w.addGlob(glob, !strings.Contains(glob, "/"))
		}
	}
	if k.st.Scope == store.Project {
		w.listNested, w.listNestedAfter = k.req.ListNested, k.req.ListNestedAfter
		for _, name := range k.req.InstructionFiles {
			if w.addGlob(name, true) {
				w.instructionFiles = append(w.instructionFiles, name)
			}
		}
	}
	slices.Sort(w.foldersToWalk)
	w.foldersToWalk = slices.DeleteFunc(slices.Compact(w.foldersToWalk), func(dir string) bool {
		return slices.ContainsFunc(w.foldersToWalk, func(other string) bool {
			return other != dir && (other == storeFolder || strings.HasPrefix(dir, other+"/"))
		})
	})
	return w
}

// addGlob takes a glob, or a name if there can be one, and reports whether it was a name.
func (w *wantedFiles) addGlob(glob string, named bool) bool {
	if named && !strings.ContainsAny(glob, `*?[\`) {
		w.topNames = append(w.topNames, glob)
		return true
	}
	parts := strings.Split(glob, "/")
	w.globs, w.foldersToWalk = append(w.globs, parts), append(w.foldersToWalk, fixedFolder(parts))
	return false
}

// fixedFolder is the folder that everything a glob matches stands below.
func fixedFolder(parts []string) string {
	n := 0
	for n < len(parts)-1 && !strings.ContainsAny(parts[n], `*?[\`) {
		n++
	}
	return path.Join(append([]string{storeFolder}, parts[:n]...)...)
}

// wantsFolder reports whether a folder is walked into: none that is hidden, or that
// holds other people's packages.
func (w *wantedFiles) wantsFolder(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") && base != "node_modules" && base != "vendor"
}

// wantsFile reports whether a file is indexed.
func (w *wantedFiles) wantsFile(name string) bool {
	if place, ok := entry.ParsePath(name); ok {
		return !place.Deleted
	}
	if slices.Contains(w.topNames, name) {
		return false // it is indexed already
	}
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(w.globs, func(glob []string) bool { return matchGlob(glob, parts) })
}

// matchGlob reports whether a path's parts fit the glob's; ** stands for any number
// of folders.
func matchGlob(glob, parts []string) bool {
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
		if matchGlob(glob[1:], parts[n:]) {
			return true
		}
	}
	return false
}
