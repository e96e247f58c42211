package gitops

import (
	"context"
	"path/filepath"
	"strings"
)

// Away says where git has a file that is not on disk.
type Away struct {
	Head   bool   // in HEAD's commit
	Index  bool   // in the index
	Hidden bool   // the index says that it is meant to be out of the worktree (skip-worktree)
	Sparse bool   // Hidden, in a sparse checkout
	Cone   bool   // Sparse, in one that names folders
	Begun  string // the operation that put it away: where it began, the branch has the file
}

// Known reports whether git has the file anywhere that was looked at.
func (a Away) Known() bool { return a.Head || a.Index || a.Begun != "" }

// Away looks for a file in HEAD, in the index, and on the branch that a rebase or a
// bisect in progress has left. What cannot be read counts as not there. It is asked of
// files that are not on disk alone: a large index takes its time.
func (r *Repo) Away(ctx context.Context, path string) (a Away) {
	if checkPath(path) != nil {
		return a
	}
	state, err := r.State()
	if err != nil {
		return a
	}
	a.Head = r.CommitHas(ctx, state.Head, path)
	if entries, err := r.indexEntries(ctx, []string{path}); err == nil {
		e, there := entries[path]
		a.Index, a.Hidden = there, there && e.hidden
		config := r.fileConfig()
		a.Sparse = a.Hidden && isTrue(config["core.sparsecheckout"])
		a.Cone = a.Sparse && isTrue(config["core.sparsecheckoutcone"])
	}
	if !a.Head && !a.Index && r.CommitHas(ctx, r.leftAt(state.Operation), path) {
		a.Begun = state.Operation
	}
	return a
}

// AwayBlob is what the first of the places that Away looks at has of the file, "" where
// none has it. The index is looked at where the caller asks for that alone.
func (r *Repo) AwayBlob(ctx context.Context, path string, index bool) string {
	state, err := r.State()
	if err != nil || checkPath(path) != nil {
		return ""
	}
	if id := r.blobIn(ctx, state.Head, path); id != "" {
		return id
	}
	if index {
		if entries, err := r.indexEntries(ctx, []string{path}); err == nil && entries[path].id != "" {
			return entries[path].id
		}
	}
	return r.blobIn(ctx, r.leftAt(state.Operation), path)
}

// blobIn is what the commit ("": none) has of a regular file at the path, "" where it has
// none.
func (r *Repo) blobIn(ctx context.Context, commit, path string) (blob string) {
	if !isID(commit) {
		return ""
	}
	err := r.withObjects(ctx, func(o objectReader) error {
		_, id, there, err := entryAt(o, commit, path)
		if there {
			blob = id
		}
		return err
	})
	if err != nil {
		return ""
	}
	return blob
}

// leftAt is the commit that an operation moved HEAD away from, "" where it is not known.
func (r *Repo) leftAt(operation string) string {
	for _, name := range map[string][]string{"rebase": {"rebase-merge/orig-head", "rebase-apply/orig-head"}, "bisect": {"BISECT_START"}}[operation] {
		data, err := readSmall(filepath.Join(r.GitDir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		text := strings.TrimSpace(string(data))
		if isID(text) {
			return text
		}
		if id, _, err := r.readRef("refs/heads/" + text); err == nil {
			return id
		}
	}
	return ""
}

// BranchHas reports whether the branch, by its short name, has a regular file at the path.
func (r *Repo) BranchHas(ctx context.Context, branch, path string) bool {
	id, _, err := r.readRef("refs/heads/" + branch)
	return err == nil && r.CommitHas(ctx, id, path)
}

// CommitHas reports whether the commit ("": none) is still here and has a regular file at
// the path.
func (r *Repo) CommitHas(ctx context.Context, commit, path string) bool {
	return r.blobIn(ctx, commit, path) != ""
}
