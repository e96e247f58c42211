package contents

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/store"
)

// maxCommitFiles bounds the files of one commit that undo looks at.
const maxCommitFiles = 20_000

// CommitFiles are the files that a commit changed in the folders of the store, such as
// entry.Root, as FileChanges, and the commit's id. Errors: fault.UnknownRevision,
// fault.NoHistory.
func CommitFiles(ctx context.Context, st *store.Store, commit string, folders ...string) (id string, files []store.FileChange, err error) {
	if st.Repo == nil {
		return "", nil, NoHistory(st)
	}
	if id, err = object.Resolve(ctx, st.Repo, commit); err != nil {
		return "", nil, err
	}
	var changed []object.ChangedFile
	for _, folder := range folders {
		list, err := object.ChangedFiles(ctx, st.Repo, id, st.GitPathOf(folder))
		if err != nil {
			return id, nil, err
		}
		changed = append(changed, list...)
	}
	for _, c := range changed[:min(len(changed), maxCommitFiles)] {
		f := store.FileChange{Path: PathInStore(st, c.Path)}
		for _, side := range []struct {
			blob  string
			bytes *[]byte
		}{{c.Before, &f.Before}, {c.After, &f.After}} {
			if side.blob == "" {
				continue
			}
			if *side.bytes, err = StoredFile(ctx, st, side.blob, c.Path); err != nil {
				return id, nil, err
			}
			if *side.bytes == nil {
				*side.bytes = []byte{}
			}
		}
		files = append(files, f)
	}
	return id, files, nil
}

// PathInStore is the path from the store's folder of a path in the repository.
func PathInStore(st *store.Store, gitPath string) string {
	folder := path.Dir(st.GitPath())
	if folder == "." {
		return gitPath
	}
	return strings.TrimPrefix(gitPath, folder+"/")
}

// LostEntry finds the newest file of an entry that history had and that was
// taken away, be it from disk alone, for which fits says yes, with its bytes as they
// last stood; "" where there is none.
func LostEntry(ctx context.Context, st *store.Store, fits func(path string, p entry.Place) bool) (name string, src []byte, err error) {
	if st.Repo == nil {
		return "", nil, nil
	}
	rev := ""
	take := func(at, file string) bool {
		own := PathInStore(st, file)
		if p, ok := entry.ParsePath(own); ok && fits(own, p) {
			name, rev = own, at
		}
		return name == ""
	}
	missing, err := object.Missing(ctx, st.Repo, st.GitPathOf(entry.Root))
	for _, file := range missing {
		if !take("HEAD", file) {
			break
		}
	}
	if name == "" && err == nil {
		err = object.LostFiles(ctx, st.Repo, st.GitPathOf(entry.Root), func(by, file string) bool { return take(by+"^", file) })
	}
	if err != nil || name == "" {
		return "", nil, err
	}
	src, ok, err := versionAt(ctx, st, rev, st.GitPathOf(name))
	if err != nil || !ok {
		return "", nil, err
	}
	return name, src, nil
}

// MemoryHistory calls fn for the commits on HEAD (all: on every ref, less
// memctl's own) that changed the memory file or the files of entries, newest first,
// until it returns false. files are the entries' files, by path from the store's
// folder; FileVersion reads one. Errors: fault.NoHistory.
func MemoryHistory(ctx context.Context, st *store.Store, all bool, fn func(v Version, files []object.ChangedFile) bool) error {
	if st.Repo == nil {
		return NoHistory(st)
	}
	rev := "HEAD"
	if all {
		rev = "--all"
	}
	versions := NewVersions(st)
	var failed error
	err := object.HistoryUnder(ctx, st.Repo, rev, st.GitPath(), st.GitPathOf(entry.Root), func(found object.Version, files []object.ChangedFile) bool {
		var v Version
		v, failed = versions.Of(ctx, found)
		return failed == nil && fn(v, ChangedEntries(st, files))
	})
	if failed != nil {
		return failed
	}
	return err
}

// ChangedEntries are those of a repository's files that are entries of the store, by
// path from the store's folder, in the order of their paths.
func ChangedEntries(st *store.Store, files []object.ChangedFile) []object.ChangedFile {
	var list []object.ChangedFile
	folder := st.GitPathOf(entry.Root) + "/"
	for _, f := range files {
		own := PathInStore(st, f.Path)
		if _, ok := entry.ParsePath(own); ok && strings.HasPrefix(f.Path, folder) {
			list = append(list, object.ChangedFile{Path: own, Before: f.Before, After: f.After})
		}
	}
	slices.SortFunc(list, func(a, b object.ChangedFile) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// ReadFileVersion reads what a commit, or an entry of the journal, made of one file.
func ReadFileVersion(ctx context.Context, st *store.Store, v Version, file object.ChangedFile) (f FileVersion, err error) {
	f.Version = v
	at := st.GitPathOf(file.Path)
	if file.Before != "" {
		f.Was, err = StoredFile(ctx, st, file.Before, at)
	}
	if file.After != "" && err == nil {
		f.Is, err = StoredFile(ctx, st, file.After, at)
	}
	return f, err
}

// FileVersion is one commit that changed one file of an entry, with the file's
// bytes before and after it; nil where it was not there.
type FileVersion struct {
	Version
	Was, Is []byte
}

// FileHistory calls fn for the commits on HEAD that changed a file, named by its
// path from the store's folder, newest first. Errors: fault.NoHistory.
func FileHistory(ctx context.Context, st *store.Store, name string, fn func(FileVersion)) error {
	if st.Repo == nil {
		return NoHistory(st)
	}
	var failed error
	err := object.History(ctx, st.Repo, "HEAD", st.GitPathOf(name), 0, func(v object.Version) bool {
		var f FileVersion
		if f, failed = ReadFileVersion(ctx, st, Version{Version: v}, object.ChangedFile{Path: name, Before: v.Before, After: v.After}); failed == nil {
			fn(f)
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
