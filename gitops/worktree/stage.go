package worktree

import (
	"context"
	"slices"

	"github.com/memctl/memctl/gitops"
)

// Stage puts one file, as it stands in the worktree, into the index (a deleted
// one as deleted), for those who commit memory along with their own work. A file that the index has in conflict is
// only staged as resolved. Errors: fault.Blocked where git cannot or shall not (an operation in
// progress is no hindrance); *Error.
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
