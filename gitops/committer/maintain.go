package committer

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops"
)

const (
	// Git counts the loose objects in one of the 256 folders that hold them, and packs all
	// from 6,700 on (gc.auto): 27 in that folder.
	looseFolder = "objects/17"
	looseHere   = 27
	// looseOwn is the number from which a store of memctl's own is packed: 500 in all.
	looseOwn = 2
)

// Maintain has git pack the repository's loose objects where there are many: memctl's own
// commits leave each of theirs in a file, and unlike git's they start no housekeeping. In a
// person's repository git decides by their settings, in the background; a store of memctl's
// own is packed at once, which takes a twentieth of a second. Errors: fault.Blocked; *Error.
func Maintain(ctx context.Context, r *gitops.Repo, own bool) error {
	most := looseHere
	if own {
		most = looseOwn
	}
	if list, err := os.ReadDir(filepath.Join(r.CommonDir, filepath.FromSlash(looseFolder))); err != nil || len(list) < most {
		return nil
	}
	if off := r.FileConfig()["gc.auto"]; off == "0" || r.FileConfig()["maintenance.auto"] == "false" {
		return nil
	}
	c := gitops.Call{Args: []string{"gc", "--auto", "--quiet"}, Writes: true}
	if own {
		c.Config = []string{"gc.auto=500", "gc.autoDetach=false"}
	}
	_, err := r.Git(ctx, c)
	return gitops.PublicError(err)
}
