package cmd

import (
	"strings"
	"time"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// mend does what --fix asks for: what is in the way of doing it, the checks or
// the error say. quiet is whether the person asked for no talk.
func (s *session) mend(quiet bool) (err error) {
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
		s.talk("note: " + inert(note))
	}
	if len(notes) == 0 && err == nil {
		s.talk("note: there was nothing to repair")
	}
	s.global.quiet = true
	return err
}

// checkUnfinished names an act that a killed process left half done, and the files of
// local state that no act could read, a check for each.
func (s *session) checkUnfinished() []check {
	var checks []check
	told := map[string]bool{} // what the scopes share is named once
	for _, scope := range s.stores.Scopes() {
		st, err := s.stores.Get(s.ctx, scope)
		if err != nil {
			continue // the check of the files says so
		}
		act, begun, ok, err := txn.Unfinished(s.ctx, st)
		switch c := (check{Name: scope + " act", Status: checkWarn, Fix: "memctl doctor --fix"}); {
		case err != nil:
			c.Status, c.Said, c.Fix = checkFail, explain(err).Error(), ""
			checks = append(checks, c)
		case ok && act == "":
			c.Said = "a write was killed before it changed anything"
			checks = append(checks, c)
		case ok:
			c.Said = "killed on " + begun.UTC().Format(time.DateTime) + " while it wrote: " + act + "; the next write finishes it"
			checks = append(checks, c)
		}
		for _, fault := range txn.DamagedState(st) {
			if told[fault.Error()] {
				continue
			}
			told[fault.Error()] = true
			e := explain(fault)
			c := check{Name: scope + " state", Status: checkFail, Said: e.Error(), Fix: "memctl doctor --fix"}
			if statedir.IsLink(fault) {
				c.Fix = strings.Join(e.Hints, "; ")
			}
			checks = append(checks, c)
		}
	}
	return checks
}
