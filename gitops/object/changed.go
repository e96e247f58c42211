package object

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
)

// ChangedFile is one file that a commit changed, by the ids of its content; ""
// where it was not there.
type ChangedFile struct{ Path, Before, After string }

// ChangedFiles lists the files below a folder, "." for all, that the commit changed against
// its first parent. It reads only folders that changed. Errors: as FilesUnder.
func ChangedFiles(ctx context.Context, r *gitops.Repo, commit, folder string) (list []ChangedFile, err error) {
	err = WithReader(ctx, r, func(o Reader) error {
		list = nil
		c, err := ReadCommit(o, commit)
		if err != nil {
			return err
		}
		is, err := folderAt(o, commit, folder)
		was := ""
		if err == nil && len(c.Parents) > 0 && !r.ShallowAt(commit) {
			was, err = folderAt(o, c.Parents[0], folder)
		}
		if err == nil {
			list, err = changedBelow(o, was, is, below(folder), nil)
		}
		return err
	})
	return list, err
}

// changedBelow adds the files that differ between two trees, "" for none, below a folder.
func changedBelow(o Reader, was, is, prefix string, list []ChangedFile) ([]ChangedFile, error) {
	before, err := ReadItems(o, was)
	if err != nil {
		return list, Damaged(was, err)
	}
	after, err := ReadItems(o, is)
	if err != nil {
		return list, Damaged(is, err)
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		b, a := before[name], after[name]
		if folder := (ChangedFile{prefix + name + "/", b.folder(), a.folder()}); folder.Before != folder.After {
			if list, err = changedBelow(o, folder.Before, folder.After, folder.Path, list); err != nil {
				return list, err
			}
		}
		if file := (ChangedFile{prefix + name, b.file(), a.file()}); file.Before != file.After {
			list = append(list, file)
		}
	}
	return list, nil
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
		tree, err := folderAt(o, commit, folder)
		if err == nil {
			err = ListTree(o, tree, below(folder), files)
		}
		return err
	})
	return files, err
}

// below is what the paths of files below a folder begin with.
func below(folder string) string { return strings.TrimPrefix(folder+"/", "./") }
