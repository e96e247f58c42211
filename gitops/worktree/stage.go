package worktree

import (
	"context"
	"slices"

	"github.com/memctl/memctl/gitops"
)

// Stage puts one file, as it stands in the worktree, into the index (a deleted
// one as deleted), for those who commit memory along with their own work.
// Errors: fault.Blocked where git cannot or shall not (an operation in
// progress is no hindrance); *Error.
func Stage(ctx context.Context, r *gitops.Repo, path string) error {
	if r.IndexElsewhere() {
		return gitops.Blocked(gitops.WhyInside, "")
	}
	if _, err := SortPaths(ctx, r, []string{path}, nil); err != nil {
		return err
	}
	return addFiles(ctx, r, []string{path})
}

// MarkResolved is Stage for a file that the index has in conflict: its stages
// become the file as it stands. Errors: as Stage.
func MarkResolved(ctx context.Context, r *gitops.Repo, path string) error {
	if r.IndexElsewhere() {
		return gitops.Blocked(gitops.WhyInside, "")
	}
	if err := gitops.CheckPath(path); err != nil {
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
