package worktree

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

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
