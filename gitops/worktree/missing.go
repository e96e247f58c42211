package worktree

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// Absent says where git has a file that is not on disk.
type Absent struct {
	Head   bool   // in HEAD's commit
	Index  bool   // in the index
	Hidden bool   // the index says that it is meant to be out of the worktree (skip-worktree)
	Begun  string // the operation that put it away: where it began, the branch has the file
	Blob   string // the file in the first of these
}

// IsInGit reports whether git has the file anywhere that was looked at.
func (a Absent) IsInGit() bool { return a.Head || a.Index || a.Begun != "" }

// FindAbsent looks for a file in HEAD, with index in the index, and on the branch that a rebase or a
// bisect in progress has left. What cannot be read counts as not there. It is asked of
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
	if op := r.Operation(); !a.Head && !a.Index {
		if a.Blob = blobIn(ctx, r, leftAt(r, op), path); a.Blob != "" {
			a.Begun = op
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

// leftAt is the commit at which HEAD was before the operation, "" if that is not known.
func leftAt(r *gitops.Repo, operation string) string {
	for _, name := range map[string][]string{"rebase": {"rebase-merge/orig-head", "rebase-apply/orig-head"}, "bisect": {"BISECT_START"}}[operation] {
		data, err := gitops.ReadSmall(filepath.Join(r.GitDir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		text := strings.TrimSpace(string(data))
		if gitops.IsID(text) {
			return text
		}
		if id, _, err := r.ReadRef("refs/heads/" + text); err == nil {
			return id
		}
	}
	return ""
}

// CommitHas reports whether the commit ("": none) is still here and has a regular file at
// the path.
func CommitHas(ctx context.Context, r *gitops.Repo, commit, path string) bool {
	return blobIn(ctx, r, commit, path) != ""
}
