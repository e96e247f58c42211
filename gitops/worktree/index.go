package worktree

import (
	"os"
	"path"
	"path/filepath"
	"strconv"

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
	if indexfile.Each(data, idLen, func(name []byte, _ indexfile.Raw) bool {
		if matches(string(name)) {
			n++
		}
		return n < most
	}) != nil {
		return 0
	}
	return n
}

// surelyClean reports whether the file on disk, its entry in the index and HEAD are surely one and the same; false is no answer. No git
// is started. Git's own rule holds: a file is what the index says while its times,
// size and place are as noted there, and a file as young as the index is read
// once more.
func surelyClean(r *gitops.Repo, name string) (same bool) {
	state, err := r.State()
	if !gitops.IsOwn(r) || err != nil || state.Unborn {
		return false
	}
	found, ok := ownIndex(r, []string{name})
	index, err := os.Stat(filepath.Join(r.GitDir, "index"))
	if dir := path.Dir(name); !ok || err != nil || len(found) != 1 || len(found[name]) != 1 || dir != "." && !RealFolder(r, dir) {
		return false
	}
	e, file := found[name][0], filepath.Join(r.Root, filepath.FromSlash(name))
	if e.Stage != 0 || e.Assumed || e.Skipped || e.Intended || !statAsNoted(file, e) || int64(e.MTime.Sec) >= index.ModTime().Unix() && !hasBlob(file, e) {
		return false
	}
	err = object.WithoutGit(r, func(o object.Reader) error {
		mode, id, ok, err := object.EntryAt(o, state.Head, name)
		same = ok && id == e.ID && mode == strconv.FormatUint(uint64(e.Mode), 8)
		return err
	})
	return same && err == nil
}
