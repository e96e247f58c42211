package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
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

// Staged is the file's content in the index; ok is false where the index has
// none, or has it unmerged.
func Staged(ctx context.Context, r *gitops.Repo, path string) (content []byte, ok bool, err error) {
	entries, err := indexEntries(ctx, r, []string{path})
	if err != nil {
		return nil, false, err
	}
	e, tracked := entries[path]
	if !tracked || e.unmerged {
		return nil, false, nil
	}
	content, err = object.Blob(ctx, r, e.id)
	return content, err == nil, err
}

// Unmerged are the files that a merge could not put together, of a path or below it: by path the ids of
// the base, ours and theirs, each "" where there is none. Errors: fault.Blocked, *Error.
func Unmerged(ctx context.Context, r *gitops.Repo, path string) (map[string][3]string, error) {
	out, err := r.Git(ctx, gitops.Call{Args: append([]string{"ls-files", "-z", "-u"}, gitops.Pathspecs([]string{path})...)})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	all := map[string][3]string{}
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, name, _ := strings.Cut(record, "\t")
		f := strings.Fields(meta) // mode id stage
		if len(f) != 3 || len(f[2]) != 1 || f[2][0] < '1' || f[2][0] > '3' {
			continue
		}
		stages := all[name]
		stages[f[2][0]-'1'] = f[1]
		all[name] = stages
	}
	return all, nil
}

// StagedUnder lists the paths of the files below a folder of the index, also of those that a
// merge left unmerged. Errors: fault.Blocked, *Error.
func StagedUnder(ctx context.Context, r *gitops.Repo, folder string) ([]string, error) {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"ls-files", "-z", "--full-name", "--", folder}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	return slices.Compact(gitops.SplitPaths(out)), nil
}

// Stage puts one file into the index as it is in the worktree (or removes a deleted one), for people who commit
// memory with their own work. A file in conflict is staged only with resolved. Errors: fault.Blocked if git cannot
// or must not (an operation in progress is no reason); *Error.
func Stage(ctx context.Context, r *gitops.Repo, path string, resolved bool) error {
	if r.IndexElsewhere() {
		return gitops.Blocked(gitops.WhyInside, "")
	}
	err := gitops.CheckPath(path)
	if err == nil && !resolved {
		_, err = SortPaths(ctx, r, []string{path}, nil)
	}
	if err != nil {
		return err
	}
	return addFiles(ctx, r, []string{path})
}

// addFiles reads files into the index, ignored ones too; those that are gone leave it.
func addFiles(ctx context.Context, r *gitops.Repo, paths []string) error {
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, gitops.Call{Args: []string{"update-index", "--add", "--remove", "-z", "--stdin"}, Config: gitops.QuietConfig(), Stdin: gitops.PathsOnStdin(paths), Writes: true})
		return err
	})
}

// AddLacking reads into the index, as they stand, those of the paths that it does not have.
func AddLacking(ctx context.Context, r *gitops.Repo, paths []string) error {
	entries, err := indexEntries(ctx, r, paths)
	lacking := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, has := entries[p]; return has })
	if err != nil || len(lacking) == 0 {
		return err
	}
	return addFiles(ctx, r, lacking)
}
