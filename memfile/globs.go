package memfile

import (
	"path"
	"strings"
)

// maxStars bounds the ** in one glob: each multiplies the ways to match.
const maxStars = 4

// MatchesFolder reports whether a session in the folder is about one of the
// globs, which start at the project's root: the folder, or the files right in
// it, match. ** stands for any number of folders.
func MatchesFolder(globs []string, folder string) bool {
	for _, glob := range globs {
		glob = strings.Trim(path.Clean("/"+glob), "/")
		if matches(glob, folder) {
			return true
		}
		if dir, last := path.Split(glob); strings.Contains(last, ".") && matches(strings.Trim(dir, "/"), folder) {
			return true
		}
	}
	return false
}

// MatchesFile reports whether one of the globs, which start at the project's root, matches
// the file or a folder that holds it.
func MatchesFile(globs []string, file string) bool {
	for _, glob := range globs {
		glob = strings.Trim(path.Clean("/"+glob), "/")
		if glob == "" && !strings.Contains(file, "/") || glob != "" && matches(glob, file) {
			return true
		}
	}
	return false
}

// matches reports whether the folder is the glob's or lies below it.
func matches(glob, folder string) bool {
	var parts, names []string
	if glob != "" && glob != "." {
		parts = strings.Split(glob, "/")
	}
	if folder != "" && folder != "." {
		names = strings.Split(folder, "/")
	}
	if len(parts) == 0 {
		return len(names) == 0
	}
	if strings.Count(glob, "**") > maxStars {
		return false
	}
	return matchGlobParts(parts, names)
}

func matchGlobParts(parts, names []string) bool {
	for len(parts) > 0 && parts[0] != "**" {
		if len(names) == 0 {
			return false
		}
		if ok, err := path.Match(parts[0], names[0]); err != nil || !ok {
			return false
		}
		parts, names = parts[1:], names[1:]
	}
	if len(parts) == 0 {
		return true // below a folder that matches
	}
	for skip := 0; skip <= len(names); skip++ {
		if matchGlobParts(parts[1:], names[skip:]) {
			return true
		}
	}
	return false
}
