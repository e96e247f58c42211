package entry

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// ParseAnchor reads "path" or "path#L1-L9" ("#L4" is one line) as a person
// gives it. ok is false for a path that leads out of the repository or into what
// git keeps there (.git, in any letters), and for lines that are none.
func ParseAnchor(text string) (a Anchor, ok bool) {
	a.Path = strings.ReplaceAll(strings.TrimSpace(text), `\`, "/")
	name, _, _, lines := a.Lines()
	if !lines && strings.Contains(a.Path, "#L") {
		return Anchor{}, false
	}
	clean := path.Clean(name)
	if name == "" || clean == "." || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(name, "\x00\n\r") {
		return Anchor{}, false
	}
	if InGitFolder(clean) {
		return Anchor{}, false
	}
	a.Path = clean + a.Path[len(name):]
	return a, true
}

// InGitFolder reports whether a path with slashes leads into git's own folder on
// some file system: some make no difference between letters, and drop dots and
// spaces at a name's end.
func InGitFolder(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		part = strings.ToLower(strings.TrimRight(part, ". "))
		return part == ".git" || part == "git~1" || strings.HasPrefix(part, ".git:")
	})
}

// Lines splits an anchor's path: the file, and the lines from first to last,
// 1-based, where it names any (ok).
func (a Anchor) Lines() (name string, first, last int, ok bool) {
	name, spec, found := strings.Cut(a.Path, "#L")
	if !found {
		return a.Path, 0, 0, false
	}
	from, to, several := strings.Cut(spec, "-")
	first, err := strconv.Atoi(from)
	last = first
	if several && err == nil {
		last, err = strconv.Atoi(strings.TrimPrefix(to, "L"))
	}
	if err != nil || first < 1 || last < first {
		return name, 0, 0, false
	}
	return name, first, last, true
}
