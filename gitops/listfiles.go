package gitops

import (
	"context"
	"slices"
	"strings"
)

// FilesUnder lists the paths of the files below a folder of a revision. Errors:
// *UnknownRevisionError, *BlockedError, *Error.
func (r *Repo) FilesUnder(ctx context.Context, rev, folder string) ([]string, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, call{args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder}})
	if err != nil {
		return nil, publicError(err)
	}
	return names(out), nil
}

// StagedUnder lists the paths of the files below a folder of the index, also of those that a
// merge left unmerged. Errors: *BlockedError, *Error.
func (r *Repo) StagedUnder(ctx context.Context, folder string) ([]string, error) {
	out, err := r.git(ctx, call{args: []string{"ls-files", "-z", "--full-name", "--", folder}})
	if err != nil {
		return nil, publicError(err)
	}
	return slices.Compact(names(out)), nil
}

// names splits paths that end in NULs.
func names(out []byte) []string {
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
}
