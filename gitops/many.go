package gitops

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
)

// maxArgPaths is how many paths are given as arguments. More of them (an
// import of thousands) would pass what systems allow, so they are told on
// stdin, or asked about by the folder that holds them all.
const maxArgPaths = 200

// pathspecs are the arguments for commands that only read: the paths, or the
// folder that holds them all, for which the answer is to be filtered.
func pathspecs(paths []string) []string {
	if len(paths) <= maxArgPaths {
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

// foldFrom is the number of paths in one folder from which the folder stands for
// them all.
const foldFrom = 50

// folded gives the pathspecs of a commit of many paths. Git holds each file that
// it knows against each pathspec, so that thousands of both take it long; where
// nothing else has changed in a folder, the folder says the same.
func (r *Repo) folded(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) <= maxArgPaths {
		return paths, nil
	}
	in := map[string]int{}
	for _, p := range paths {
		in[path.Dir(p)]++
	}
	var folders []string
	for dir, n := range in {
		if n >= foldFrom && dir != "." {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 || len(folders) > maxArgPaths {
		return paths, nil
	}
	slices.Sort(folders)
	args := append([]string{"status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no", "--"}, folders...)
	out, err := r.git(ctx, call{args: args})
	if err != nil {
		return nil, publicError(err)
	}
	asked := setOf(paths)
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) > 0 && !asked[recordPath(string(record))] {
			return paths, nil // somebody's own edit: it stays out of the commit
		}
	}
	specs, whole := folders, setOf(folders)
	for _, p := range paths {
		if !whole[path.Dir(p)] {
			specs = append(specs, p)
		}
	}
	return specs, nil
}

// setOf is for looking paths up.
func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}

// within reports whether a folder on the way to name is in the set.
func within(set map[string]bool, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if set[dir] {
			return true
		}
	}
	return false
}

// onStdin is the input that names the paths.
func onStdin(paths []string) []byte { return []byte(strings.Join(paths, "\x00") + "\x00") }

// messageFile holds the message of a commit whose paths are on stdin. The
// system's folder for such files has nothing of the repository's in it.
func messageFile(message string) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "memctl-message-")
	if err != nil {
		return "", nil, err
	}
	_, err = f.WriteString(message)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}

// DirtyFiles tells which of the files differ from HEAD, untracked ones too.
// content gives a file's bytes, so that those that HEAD has just so cost no
// start of git. Errors: *BlockedError, *Error.
func (r *Repo) DirtyFiles(ctx context.Context, paths []string, content func(path string) []byte) ([]string, error) {
	suspects, err := r.unlikeHead(ctx, paths, content)
	if err != nil || len(suspects) == 0 {
		return nil, err
	}
	args := []string{"status", "--porcelain=v2", "-z", "--no-renames", "--ignored=matching", "--untracked-files=all"}
	out, err := r.git(ctx, call{args: append(args, pathspecs(suspects)...)})
	if err != nil {
		return nil, publicError(err)
	}
	asked := setOf(suspects)
	var dirty []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		name := recordPath(string(record))
		switch s, ok := parseStatus(string(record), name); {
		case !ok || s.Conflict:
		case asked[name]:
			dirty = append(dirty, name)
		case strings.HasSuffix(name, "/"): // an ignored folder stands for what is in it
			for _, p := range suspects {
				if strings.HasPrefix(p, name) {
					dirty = append(dirty, p)
				}
			}
		}
	}
	return dirty, nil
}

// recordPath is the path of one record of porcelain version 2.
func recordPath(record string) string {
	fields := map[string]int{"?": 2, "!": 2, "1": 9, "u": 11}
	kind, _, _ := strings.Cut(record, " ")
	if f := strings.SplitN(record, " ", fields[kind]); len(f) == fields[kind] && len(f) > 0 {
		return f[len(f)-1]
	}
	return ""
}

// unlikeHead lists the paths whose bytes are not those that HEAD has. A filter
// makes them differ where git sees no difference, so they are only suspects.
func (r *Repo) unlikeHead(ctx context.Context, paths []string, content func(string) []byte) (list []string, err error) {
	s, err := r.State()
	if err != nil || s.Unborn || len(paths) == 0 {
		return paths, err
	}
	err = r.withObjects(ctx, func(o objectReader) error {
		list = nil
		trees := newCachedTrees(o)
		for _, p := range paths {
			data, ok, err := fileAt(trees, s.Head, p)
			if err != nil {
				return err
			}
			if !ok || !bytes.Equal(data, content(p)) {
				list = append(list, p)
			}
		}
		return nil
	})
	return list, err
}

// largeTree is the number of bytes from which the names of a tree are indexed,
// where many of them are looked up: some hundreds of files.
const largeTree = 16 << 10

// cachedTrees reads each commit and tree once.
type cachedTrees struct {
	objectReader
	known map[string][]byte
	names map[string]map[string]treeItem // by name, of each large tree
}

func newCachedTrees(o objectReader) cachedTrees {
	return cachedTrees{objectReader: o, known: map[string][]byte{}, names: map[string]map[string]treeItem{}}
}

// entry is treeEntry for a large tree.
func (c cachedTrees) entry(tree string, data []byte, name string) (mode, id string, ok bool) {
	if c.names[tree] == nil {
		c.names[tree] = map[string]treeItem{}
		items, _ := parseTree(data, len(tree)/2) // as far as it can be read
		for _, i := range items {
			c.names[tree][i.name] = i
		}
	}
	e, ok := c.names[tree][name]
	return e.mode, e.id, ok
}

func (c cachedTrees) read(id string) (string, []byte, error) {
	if data, ok := c.known["tree "+id]; ok {
		return "tree", data, nil
	}
	if data, ok := c.known["commit "+id]; ok {
		return "commit", data, nil
	}
	kind, data, err := c.objectReader.read(id)
	if err == nil && kind != "blob" {
		c.known[kind+" "+id] = data
	}
	return kind, data, err
}
