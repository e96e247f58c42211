package cmd

import (
	"os"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/store"
)

// repair does what --fix asks for. What prevents it, the checks or the error say. quiet is whether the person asked for no talk.
func (s *session) repair(quiet bool) (err error) {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var notes []fault.Note
	if repo, failed := gitops.Find(dir); failed == nil && repo.Refused(s.ctx) == nil { // else the checks say so
		changed, err := remotes.SetMergeDriver(s.ctx, repo)
		if err != nil {
			return err
		}
		if changed {
			notes = append(notes, store.MergesByItem())
		}
	}
	if s.stores, err = s.open(s.ctx); err == nil {
		var mended []fault.Note
		mended, err = integrity.Mend(s.ctx, s.stores)
		if notes = append(notes, mended...); err == nil {
			notes = append(notes, review.BringIn(s.ctx, s.stores, memory.Options{Origin: memory.Origin{Kind: memory.Automatic}})...)
		}
	} else {
		err = nil // the checks say so
	}
	s.global.quiet = quiet
	s.notes(notes)
	if len(notes) == 0 && err == nil {
		s.note("nothing-to-repair", "there was nothing to repair")
	}
	s.global.quiet = true
	return err
}
