package cache

import (
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/store"
)

// wanted says which files of a store's folder are indexed beside the memory
// file: entries, and the Markdown files that the globs name.
type wanted struct {
	top   []string   // names in the store's own folder
	trees []string   // folders to walk, none below another
	globs [][]string // their parts
}

// maxGlobs bounds the globs, and maxStars the ** in one of them: each
// multiplies the ways to match.
const (
	maxGlobs = 64
	maxStars = 3
)

func (k *keeper) wants() wanted {
	w := wanted{trees: []string{entry.Root}}
	if k.st.Scope == store.Private || k.st.Scope == store.User || k.st.OnDisk(entry.Root) != entry.Root {
		return w
	}
	for _, glob := range k.req.Paths[:min(len(k.req.Paths), maxGlobs)] {
		glob = path.Clean(strings.TrimPrefix(glob, "/"))
		if !strings.HasSuffix(glob, ".md") || glob == ".." || strings.HasPrefix(glob, "../") || strings.Count(glob, "**") > maxStars {
			continue
		}
		parts := strings.Split(glob, "/")
		if len(parts) == 1 && !strings.ContainsAny(glob, `*?[\`) {
			w.top = append(w.top, glob)
			continue
		}
		w.globs = append(w.globs, parts)
		w.trees = append(w.trees, fixed(parts))
	}
	slices.Sort(w.trees)
	w.trees = slices.DeleteFunc(slices.Compact(w.trees), func(dir string) bool {
		return slices.ContainsFunc(w.trees, func(other string) bool { return other != dir && under(other, dir) })
	})
	return w
}

// fixed is the folder that everything a glob matches stands below.
func fixed(parts []string) string {
	n := 0
	for n < len(parts)-1 && !strings.ContainsAny(parts[n], `*?[\`) {
		n++
	}
	return path.Join(append([]string{top}, parts[:n]...)...)
}

func under(dir, name string) bool { return dir == top || strings.HasPrefix(name, dir+"/") }

// folder reports whether a folder is walked into: none that is hidden, or that
// holds other people's packages.
func (w *wanted) folder(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") && base != "node_modules" && base != "vendor"
}

// file reports whether a file is indexed.
func (w *wanted) file(name string) bool {
	if place, ok := entry.ParsePath(name); ok {
		return !place.Deleted
	}
	if !strings.HasSuffix(name, ".md") || name == entry.Root {
		return false
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
