package contents

import (
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

// CommitFiles returns a commit's id, and the files that it changed in a folder of the store, such
// as entry.Root. Errors: fault.UnknownRevision, fault.NoHistory.
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
		if f.Before, f.After, err = FileSides(ctx, st, object.ChangedFile{Path: f.Path, Before: c.Before, After: c.After}); err != nil {
			return id, nil, err
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

// FileSides are a file's bytes before and after a change, by its path from the store's folder; nil where it was not there.
func FileSides(ctx context.Context, st *store.Store, file object.ChangedFile) (was, is []byte, err error) {
	read := func(blob string) (src []byte) {
		if blob != "" && err == nil {
			src, err = StoredFile(ctx, st, blob, st.GitPathOf(file.Path))
			src = append([]byte{}, src...) // an empty file is one, too
		}
		return src
	}
	was, is = read(file.Before), read(file.After)
	return was, is, err
}
