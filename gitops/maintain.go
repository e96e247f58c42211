package gitops

import (
	"context"
	"os"
	"path/filepath"
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
// own is packed at once, which takes a twentieth of a second. Errors: *BlockedError; *Error.
func (r *Repo) Maintain(ctx context.Context, own bool) error {
	most := looseHere
	if own {
		most = looseOwn
	}
	if list, err := os.ReadDir(filepath.Join(r.CommonDir, filepath.FromSlash(looseFolder))); err != nil || len(list) < most {
		return nil
	}
	if off := r.fileConfig()["gc.auto"]; off == "0" || r.fileConfig()["maintenance.auto"] == "false" {
		return nil
	}
	c := call{args: []string{"gc", "--auto", "--quiet"}, writes: true}
	if own {
		c.config = []string{"gc.auto=500", "gc.autoDetach=false"}
	}
	_, err := r.git(ctx, c)
	return publicError(err)
}
