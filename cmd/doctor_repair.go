package cmd

import (
	"context"
	"os"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/review"
)

// repair does what --fix asks for. What prevents it, the checks or the error say. quiet is whether the person asked for no talk.
func (s *session) repair(quiet bool) (err error) {
	driven, err := fixMergeDriver(s.ctx)
	if err != nil {
		return err
	}
	var notes []string
	if driven {
		notes = append(notes, "from now on, git merges memory item by item in this repository")
	}
	if s.stores, err = s.open(s.ctx); err == nil {
		var mended []string
		mended, err = integrity.Mend(s.ctx, s.stores)
		if notes = append(notes, mended...); err == nil {
			notes = append(notes, review.BringIn(s.ctx, s.stores, memory.Options{Origin: memory.Origin{Kind: memory.Automatic}})...)
		}
	} else {
		err = nil // the checks say so
	}
	s.global.quiet = quiet
	for _, note := range notes {
		s.note(inert(note))
	}
	if len(notes) == 0 && err == nil {
		s.note("there was nothing to repair")
	}
	s.global.quiet = true
	return err
}

// fixMergeDriver sets the driver in the repository of the current folder, if
// there is one, and reports whether it had to.
func fixMergeDriver(ctx context.Context) (changed bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, err
	}
	repo, err := gitops.Find(dir)
	if err != nil || repo.Refused(ctx) != nil {
		return false, nil // the checks say so
	}
	return remotes.SetMergeDriver(ctx, repo)
}
