package committer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
)

// foldFrom is the number of paths in one folder from which the folder stands for
// them all.
const foldFrom = 50

// folded returns the pathspecs of a commit of many paths. Git holds each file that
// it knows against each pathspec, so that thousands of both take it long; where
// nothing else has changed in a folder, the folder says the same.
func folded(ctx context.Context, r *gitops.Repo, paths []string) ([]string, error) {
	if len(paths) <= gitops.MaxArgPaths {
		return paths, nil
	}
	in := map[string]int{}
	for _, p := range paths {
		in[path.Dir(p)]++
	}
	var folders []string
	for dir, n := range in {
		if n >= foldFrom && dir != "." {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 || len(folders) > gitops.MaxArgPaths {
		return paths, nil
	}
	slices.Sort(folders)
	args := append([]string{"status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=no", "--"}, folders...)
	out, err := r.Git(ctx, gitops.Call{Args: args})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	asked := gitops.PathSet(paths)
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) > 0 && !asked[worktree.RecordPath(string(record))] {
			return paths, nil // somebody's own edit: it stays out of the commit
		}
	}
	specs, whole := folders, gitops.PathSet(folders)
	for _, p := range paths {
		if !whole[path.Dir(p)] {
			specs = append(specs, p)
		}
	}
	return specs, nil
}

// messageFile holds the message of a commit whose paths are on stdin. The
// system's folder for such files has nothing of the repository's in it.
func messageFile(message string) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "memctl-message-")
	if err != nil {
		return "", nil, err
	}
	_, err = f.WriteString(message)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}
