package undo

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// maxLookedBack is how many acts before one are asked what they began with.
const maxLookedBack = 200

// change is one of the things that an act changed: a difference, or a file of an entry.
type change struct {
	delta *memfile.Delta
	file  *store.FileChange
}

// changes are all of the act's.
func (u *undoing) changes() (list []change) {
	for i := range u.deltas {
		list = append(list, change{delta: &u.deltas[i]})
	}
	for i := range u.files {
		list = append(list, change{file: &u.files[i]})
	}
	return list
}

// about is what is said of it together: the key, or the entry's id.
func (c change) about() string {
	if c.delta != nil {
		return c.delta.Key
	}
	if place, ok := entry.ParsePath(c.file.Path); ok {
		return place.ID
	}
	return c.file.Path
}

// same reports whether both are changes of the same thing.
func (c change) same(d change) bool {
	if c.delta != nil && d.delta != nil {
		return c.delta.Kind == d.delta.Kind && c.delta.Key == d.delta.Key
	}
	return c.file != nil && d.file != nil && c.file.Path == d.file.Path
}

// stands reports whether the thing is as it was before the change, or as it was after it.
func (u *undoing) stands(doc memfile.Document, c change) (before, after bool) {
	if c.delta != nil {
		return standsBefore(doc, *c.delta), standsAfter(doc, *c.delta)
	}
	now, err := contents.EntryBytes(u.store, c.file.Path)
	return err == nil && sameFile(now, c.file.Before), err != nil || sameFile(now, c.file.After)
}

// reverted reports whether nothing of the act stands, and all that it changed is as it was
// before it or before an act that came earlier: somebody has taken back several at once,
// as `git revert` does.
func (u *undoing) reverted(ctx context.Context, doc memfile.Document, earlier []ledger.ActRecord) bool {
	gone := map[string]bool{}
	var left []change // of which no act looked at so far says that it is as before that
	for _, c := range u.changes() {
		before, after := u.stands(doc, c)
		gone[c.about()] = gone[c.about()] || before || !after
		if !before {
			left = append(left, c)
		}
	}
	for _, is := range gone {
		if !is {
			return false
		}
	}
	for _, rec := range slices.Backward(earlier[max(0, len(earlier)-maxLookedBack):]) {
		if len(left) == 0 || ctx.Err() != nil {
			break
		}
		past := &undoing{UndoRequest: u.UndoRequest, ss: u.ss}
		if rec.Scope != u.record.Scope || past.load(ctx, rec, nil) != nil {
			continue
		}
		for _, e := range past.changes() {
			if before, _ := u.stands(doc, e); before {
				left = slices.DeleteFunc(left, e.same)
			}
		}
	}
	return len(left) == 0
}
