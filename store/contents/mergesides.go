package contents

import (
	"context"
	"fmt"
	"path"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
)

// TurnedSides makes of the versions that git hands to a merge driver for a file what git
// would write into the worktree in dir: it hands over what it keeps, encrypted for one.
// back turns a merged file round again. Without a repository, and without a filter of the
// file, all stays. Errors: one where the filter cannot be turned round here.
func TurnedSides(ctx context.Context, dir, name string, sides ...*[]byte) (back func([]byte) ([]byte, error), err error) {
	back = func(merged []byte) ([]byte, error) { return merged, nil }
	repo, err := gitops.Find(dir)
	if err != nil || !worktree.Filtered(ctx, repo, name) || worktree.WorktreeEncoding(ctx, repo, name) != "" {
		return back, nil // git keeps in UTF-8 what it writes in another encoding
	}
	for _, side := range sides {
		if len(*side) == 0 {
			continue
		}
		id, err := committer.WriteRaw(ctx, repo, *side)
		if err != nil {
			return nil, err
		}
		*side = asWritten(ctx, repo, *side, id, name)
		if path.Base(name) == memfile.FileName && !memfile.Ours(*side) { // an entry's merge sees by itself
			return nil, fmt.Errorf("%q: git stores it through a filter that memctl cannot reverse here", name)
		}
	}
	return func(merged []byte) ([]byte, error) {
		id, err := worktree.Clean(ctx, repo, name, merged)
		if err != nil {
			return nil, err
		}
		return object.Blob(ctx, repo, id)
	}, nil
}
