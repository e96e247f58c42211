package contents

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
)

// maxCommitFiles bounds the files of one commit that undo looks at.
const maxCommitFiles = 20_000

// CommitFiles are the files that a commit changed in a folder of the store, such as
// entry.Root, as FileChanges, and the commit's id. Errors: fault.UnknownRevision,
// fault.NoHistory.
func CommitFiles(ctx context.Context, st *store.Store, commit, folder string) (id string, files []store.FileChange, err error) {
	if id, err = commitOf(ctx, st, commit); err != nil {
		return "", nil, err
	}
	changed, err := object.ChangedFiles(ctx, st.Repo, id, st.GitPathOf(folder))
	if err != nil {
		return id, nil, err
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

// MemoryHistory calls fn for the commits on HEAD (all: on every ref, less
// memctl's own) that changed the memory file or the files of entries, newest first,
// until it returns false. files are as EntryHistory has them. Errors: fault.NoHistory.
func MemoryHistory(ctx context.Context, st *store.Store, all bool, fn func(v Version, files []object.ChangedFile) bool) error {
	versions := NewVersions(st)
	var failed error
	err := EntryHistory(ctx, st, all, func(found object.Version, files []object.ChangedFile) bool {
		var v Version
		v, failed = versions.Of(ctx, found)
		return failed == nil && fn(v, files)
	})
	return cmp.Or(failed, err)
}

// EntryHistory is MemoryHistory without reading the memory file. files are the entries' files that
// the commit changed, by path from the store's folder; ReadFileVersion reads one.
func EntryHistory(ctx context.Context, st *store.Store, all bool, fn func(v object.Version, files []object.ChangedFile) bool) error {
	if st.Repo == nil {
		return NoHistory(st)
	}
	rev := "HEAD"
	if all {
		rev = "--all"
	}
	return object.HistoryUnder(ctx, st.Repo, rev, st.GitPath(), st.GitPathOf(entry.Root), func(v object.Version, files []object.ChangedFile) bool {
		return fn(v, ChangedEntries(st, files))
	})
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
