package object

import (
	"context"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
)

// ChangedFile is one file that a commit changed, by the ids of its content; ""
// where it was not there.
type ChangedFile struct{ Path, Before, After string }

// ChangedFiles lists the files below a folder that the commit changed against
// its first parent, by path. Errors: fault.Blocked; *Error.
func ChangedFiles(ctx context.Context, r *gitops.Repo, commit, folder string) ([]ChangedFile, error) {
	if !gitops.IsID(commit) {
		return nil, fault.New(fault.UnknownRevision, commit, "unknown revision")
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"diff-tree", "-r", "-z", "-m", "--root", "--no-renames", "--no-commit-id", commit, "--", folder}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	var list []ChangedFile
	seen := map[string]bool{}
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		words := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		if len(words) != 5 || seen[parts[i+1]] { // a merge lists a file for each parent, the first one's first
			continue
		}
		seen[parts[i+1]] = true
		f := ChangedFile{Path: parts[i+1], Before: words[2], After: words[3]}
		for _, id := range []*string{&f.Before, &f.After} {
			if strings.Trim(*id, "0") == "" {
				*id = ""
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// FilesUnder lists the paths of the files below a folder of a revision. Errors:
// fault.UnknownRevision, fault.Blocked, *Error.
func FilesUnder(ctx context.Context, r *gitops.Repo, rev, folder string) ([]string, error) {
	commit, err := Resolve(ctx, r, rev)
	if err != nil {
		return nil, err
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	return gitops.SplitPaths(out), nil
}
