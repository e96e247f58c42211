package view

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// Edited is what the files of one scope hold that no commit has: edits by hand, and writes
// that could not be committed. The next write in the scope commits them.
type Edited struct {
	Scope string   `json:"scope"`
	Files []string `json:"files"` // from the root of the repository, with slashes
}

// EditedFiles lists the changed files of memory, by scope; a scope without any is left out.
// Where git cannot be asked, nothing is listed: the check of the repository says why.
func EditedFiles(ctx context.Context, ss *store.Stores) ([]Edited, error) {
	stores, err := memory.StoresOf(ctx, ss, "")
	list := []Edited{}
	for _, st := range stores {
		if st.Repo == nil {
			continue
		}
		e := Edited{Scope: st.Scope}
		state, failed := worktree.StateOf(ctx, st.Repo, st.GitPath())
		if failed == nil && state.Dirty && !state.Ignored {
			e.Files = append(e.Files, st.GitPath())
		}
		entries, notListed := worktree.EditedUnder(ctx, st.Repo, st.GitPathOf(entry.Root), 0)
		e.Files = append(e.Files, entries...)
		if failed = errors.Join(failed, notListed); gitops.BlockedBy(failed) == "" {
			err = errors.Join(err, failed)
		}
		if len(e.Files) > 0 {
			list = append(list, e)
		}
	}
	return list, err
}
