package worktree

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
)

// ownIndex reads the index without git: the records of the paths, by name, and
// of all that stands below them. ok is false where only git can tell, as for a
// split or a sparse index, or a form that is not known here.
func ownIndex(r *gitops.Repo, paths []string) (found map[string][]indexfile.Entry, ok bool) {
	data, idLen, ok := r.IndexBytes()
	if data == nil {
		return nil, ok // nothing was ever added
	}
	return indexfile.Find(data, idLen, paths)
}

// CountTracked counts the files of the index for which the function is true, up to most. It is 0 where only git can read the index.
func CountTracked(r *gitops.Repo, matches func(file string) bool, most int) (n int) {
	data, idLen, _ := r.IndexBytes()
	if data == nil {
		return 0
	}
	err := indexfile.Each(data, idLen, func(name []byte, _ indexfile.Raw) bool {
		if matches(string(name)) {
			n++
		}
		return n < most
	})
	if err != nil {
		return 0
	}
	return n
}

// cleanBlob is the id of what git keeps of the file, where the file on disk, its
// entry in the index and HEAD are surely one and the same; "" is no answer. No git
// is started. Git's own rule holds: a file is what the index says while its times,
// size and place are as noted there, and a file as young as the index is read
// once more.
func cleanBlob(r *gitops.Repo, path string) string {
	if !gitops.IsOwn(r) {
		return ""
	}
	state, err := r.State()
	if err != nil || state.Unborn {
		return ""
	}
	found, ok := ownIndex(r, []string{path})
	if !ok || len(found) != 1 || len(found[path]) != 1 {
		return ""
	}
	e := found[path][0]
	if e.Stage != 0 || e.Assumed || e.Skipped || e.Intended || !asNoted(r, path, e) {
		return ""
	}
	same := false
	err = object.WithoutGit(r, func(o object.Reader) error {
		mode, id, ok, err := object.EntryAt(o, state.Head, path)
		same = ok && id == e.ID && strings.HasPrefix(mode, "100") && mode == strconv.FormatUint(uint64(e.Mode), 8)
		return err
	})
	if err != nil || !same {
		return ""
	}
	return e.ID
}

// asNoted compares the file on disk with its record.
func asNoted(r *gitops.Repo, name string, e indexfile.Entry) bool {
	index, err := os.Stat(filepath.Join(r.GitDir, "index"))
	dir := path.Dir(name)
	return err == nil && (dir == "." || RealFolder(r, dir)) && fileAsNoted(filepath.Join(r.Root, filepath.FromSlash(name)), e, index.ModTime().Unix())
}
