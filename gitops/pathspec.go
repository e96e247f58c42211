package gitops

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// MaxArgPaths is how many paths are given as arguments. More of them (an
// import of thousands) would pass what systems allow, so they are told on
// stdin, or asked about by the folder that holds them all.
const MaxArgPaths = 200

// Pathspecs are the arguments for commands that only read: the paths, or the
// folder that holds them all, for which the answer is to be filtered.
func Pathspecs(paths []string) []string {
	if len(paths) <= MaxArgPaths {
		return append([]string{"--"}, paths...)
	}
	folder := path.Dir(paths[0])
	for _, p := range paths {
		for folder != "." && !strings.HasPrefix(p, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	return []string{"--", folder}
}

// PathSet is for looking paths up.
func PathSet(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// IsBelowAny reports whether a folder on the way to name is in the set.
func IsBelowAny(set map[string]bool, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if set[dir] {
			return true
		}
	}
	return false
}

// PathsOnStdin is the input that names the paths.
func PathsOnStdin(paths []string) []byte { return []byte(strings.Join(paths, "\x00") + "\x00") }

// CheckPath refuses what is no plain path inside the worktree.
func CheckPath(p string) error {
	bad := p == "" || p == "." || path.IsAbs(p) || path.Clean(p) != p || strings.ContainsRune(p, 0) ||
		!filepath.IsLocal(filepath.FromSlash(p))
	for part := range strings.SplitSeq(p, "/") {
		bad = bad || strings.EqualFold(part, ".git")
	}
	if bad {
		return fmt.Errorf("%q: no path of a file in the worktree", p)
	}
	return nil
}

// CheckPaths is CheckPath for each of the paths.
func CheckPaths(all []string) error {
	for _, p := range all {
		if err := CheckPath(p); err != nil {
			return err
		}
	}
	return nil
}

// SplitPaths splits paths that end in NULs.
func SplitPaths(out []byte) []string {
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
}
