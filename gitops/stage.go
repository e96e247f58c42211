package gitops

import "context"

// Stage puts one file, as it stands in the worktree, into the index (a deleted
// one as deleted), for those who commit memory along with their own work.
// Errors: *BlockedError where git cannot or shall not (an operation in
// progress is no hindrance); *Error.
func (r *Repo) Stage(ctx context.Context, path string) error {
	if r.indexElsewhere() {
		return &BlockedError{Why: WhyIndexFile}
	}
	if _, _, err := r.sortPaths(ctx, []string{path}); err != nil {
		return err
	}
	return r.addFiles(ctx, []string{path})
}

// MarkResolved is Stage for a file that the index has in conflict: its stages
// become the file as it stands. Errors: as Stage.
func (r *Repo) MarkResolved(ctx context.Context, path string) error {
	if r.indexElsewhere() {
		return &BlockedError{Why: WhyIndexFile}
	}
	if err := checkPath(path); err != nil {
		return err
	}
	return r.addFiles(ctx, []string{path})
}
