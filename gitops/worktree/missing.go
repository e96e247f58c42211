package worktree

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// Absent says where git has a file that is not on disk.
type Absent struct {
	Head   bool   // in HEAD's commit
	Index  bool   // in the index
	Hidden bool   // the index says that it is meant to be out of the worktree (skip-worktree)
	Blob   string // the file in the first of these
}

// IsInGit reports whether git has the file anywhere that was looked at.
func (a Absent) IsInGit() bool { return a.Head || a.Index }

// FindAbsent looks for a file in HEAD, and with index in the index. What cannot be read counts as not there. It is asked of
// files that are not on disk alone: a large index takes its time.
func FindAbsent(ctx context.Context, r *gitops.Repo, path string, index bool) (a Absent) {
	state, err := r.State()
	if err != nil || gitops.CheckPath(path) != nil {
		return a
	}
	a.Blob = blobIn(ctx, r, state.Head, path)
	if a.Head = a.Blob != ""; index {
		if entries, err := indexEntries(ctx, r, []string{path}); err == nil {
			e, there := entries[path]
			a.Index, a.Hidden, a.Blob = there, there && e.hidden, cmp.Or(a.Blob, e.id)
		}
	}
	return a
}

// blobIn is what the commit ("": none) has of a regular file at the path, "" where it has
// none.
func blobIn(ctx context.Context, r *gitops.Repo, commit, path string) string {
	if !gitops.IsID(commit) {
		return ""
	}
	blobs, _, _ := object.BlobsAt(ctx, r, commit, []string{path})
	return blobs[path]
}

// CommitHas reports whether the commit ("": none) is still here and has a regular file at
// the path.
func CommitHas(ctx context.Context, r *gitops.Repo, commit, path string) bool {
	return blobIn(ctx, r, commit, path) != ""
}
