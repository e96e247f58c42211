package object

import (
	"context"
	"maps"
	"slices"

	"github.com/memctl/memctl/gitops"
)

// ChangedFile is one file that a commit changed, by the ids of its content; ""
// where it was not there.
type ChangedFile struct{ Path, Before, After string }

// ChangedFiles lists the files below a folder that the commit changed against
// its first parent, by path. Errors: as FilesUnder.
func ChangedFiles(ctx context.Context, r *gitops.Repo, commit, folder string) (list []ChangedFile, err error) {
	_, parent, err := BlobsAt(ctx, r, commit, nil)
	if err != nil {
		return nil, err
	}
	is, err := FilesUnder(ctx, r, commit, folder)
	was := map[string]string{}
	if err == nil && parent != "" {
		was, err = FilesUnder(ctx, r, parent, folder)
	}
	all := slices.AppendSeq(slices.Collect(maps.Keys(is)), maps.Keys(was))
	for _, name := range slices.Compact(slices.Sorted(slices.Values(all))) {
		if was[name] != is[name] {
			list = append(list, ChangedFile{Path: name, Before: was[name], After: is[name]})
		}
	}
	return list, err
}

// FilesUnder lists the files below a folder of a revision, "." for all: path to blob id. Errors:
// fault.UnknownRevision, fault.Blocked, *Error.
func FilesUnder(ctx context.Context, r *gitops.Repo, rev, folder string) (files map[string]string, err error) {
	commit, err := Resolve(ctx, r, rev)
	if err != nil {
		return nil, err
	}
	err = WithReader(ctx, r, func(o Reader) error {
		files = map[string]string{}
		prefix := folder + "/"
		tree, err := FolderAt(o, commit, folder)
		if folder == "." {
			prefix = ""
			tree, err = TreeOf(o, commit)
		}
		if err == nil {
			err = ListTree(o, tree, prefix, files)
		}
		return err
	})
	return files, err
}
