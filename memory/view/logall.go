package view

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// log is the history of one store.
func (h *historian) log(ctx context.Context, req LogRequest) (list []Change, err error) {
	if req.All {
		return h.logAll(ctx, req)
	}
	acts := 0
	more := func(told []Change) bool {
		if len(told) > 0 {
			acts++
		}
		return req.Max == 0 || acts < req.Max
	}
	if req.Key != "" {
		err := contents.History(ctx, h.store, func(v contents.Version) bool {
			told := h.changes(v, req.Key)
			req.Key = oldKey(v, req.Key)
			list = append(list, told...)
			return more(told)
		})
		return list, err
	}
	var failed error
	err = contents.MemoryHistory(ctx, h.store, false, func(v contents.Version, files []object.ChangedFile) bool {
		var told []Change
		told, failed = h.told(ctx, v, files, req)
		list = append(list, told...)
		return failed == nil && more(told)
	})
	if failed != nil {
		return nil, failed
	}
	return list, err
}

// sameAct reports whether two changes, next to each other in a log, are of one commit.
func sameAct(a, b Change) bool { return a.Commit == b.Commit && a.Scope == b.Scope }

// newestActs are the changes of the first acts of a log, each whole: a merge is one act,
// however many changes it brought.
func newestActs(changes []Change, most int) []Change {
	acts := 0
	for i := range changes {
		if i > 0 && sameAct(changes[i-1], changes[i]) {
			continue
		}
		if acts++; acts > most {
			return changes[:i]
		}
	}
	return changes
}

// logAll is the history of every branch, and after it what only the journal
// has: writes that were never committed, or whose commits are gone.
func (h *historian) logAll(ctx context.Context, req LogRequest) (list []Change, err error) {
	commits, known := map[string]bool{}, map[string]bool{}
	asked := req
	var failed error
	err = contents.MemoryHistory(ctx, h.store, true, func(v contents.Version, files []object.ChangedFile) bool {
		commits[v.Commit] = true
		var told []Change
		told, failed = h.told(ctx, v, files, req)
		req.Key = oldKey(v, req.Key)
		for _, c := range told {
			known[sameChange(c)] = true
		}
		list = append(list, told...)
		return failed == nil
	})
	if failed != nil || err != nil {
		return nil, errors.Join(failed, err)
	}
	req = asked
	err = ledger.JournalHistory(ctx, h.store, func(v contents.Version, files []object.ChangedFile, e committer.JournalEntry) bool {
		if commits[e.Commit] {
			req.Key = oldKey(v, req.Key)
			return true
		}
		var told []Change
		told, failed = h.told(ctx, v, files, req)
		req.Key = oldKey(v, req.Key)
		for _, c := range told {
			if same := sameChange(c); !known[same] {
				known[same] = true
				c.Journal = true
				list = append(list, c)
			}
		}
		return failed == nil
	})
	return list, errors.Join(failed, err)
}

// told is what one commit, or entry of the journal, changed: items and entries.
func (h *historian) told(ctx context.Context, v contents.Version, files []object.ChangedFile, req LogRequest) ([]Change, error) {
	items := h.changes(v, req.Key)
	if req.Key != "" && memfile.KeyForm(req.Key) {
		return items, nil
	}
	entries, err := h.entryChanges(ctx, v, files, req)
	for i := range entries {
		items = slices.DeleteFunc(items, func(c Change) bool { return entries[i].saysAs(c) })
	}
	return append(items, entries...), err
}

// maxToldEntries bounds the entries of one commit that a list tells: an import
// of thousands is one act.
const maxToldEntries = 100

// entryChanges tells the entries that a version changed, those of one id where it
// is named. An entry that moved to the deleted ones, or back, is told where it
// stood.
func (h *historian) entryChanges(ctx context.Context, v contents.Version, files []object.ChangedFile, req LogRequest) (list []Change, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	changed := map[string]bool{}
	for _, f := range files {
		changed[f.Path] = true
	}
	rest := Change{Kind: ChangeEntry, Scope: h.store.Scope}
	for _, f := range files {
		place, _ := entry.ParsePath(f.Path)
		if req.Key != "" && !memory.MatchesID(place.ID, req.Key) || req.Key == "" && place.Tier == entry.Turn {
			continue
		}
		if live := entry.LivePath(f.Path); place.Deleted && changed[live] {
			continue
		} else if place.Deleted && f.Before == "" {
			f.Before, f.After = f.After, "" // the journal does not tell what went
		}
		if len(list) == maxToldEntries {
			rest.MoreCount++
			continue
		}
		version, err := contents.ReadFileVersion(ctx, h.store, v, f)
		if err != nil {
			return list, err
		}
		list = append(list, h.entryChange(version, f.Path))
	}
	if rest.MoreCount > 0 {
		last := list[len(list)-1]
		rest.Commit, rest.Author, rest.Date, rest.Act, rest.Change = last.Commit, last.Author, last.Date, last.Act, last.Change
		list = append(list, rest)
	}
	return list, nil
}

// saysAs reports whether a tombstone came or went with the entry that it is
// about: the same change, told once.
func (c *Change) saysAs(tomb Change) bool {
	if tomb.Kind != memfile.DeltaTombstone || tomb.Key != "" {
		return false
	}
	same := func(a, b *memfile.Value) bool { return a != nil && b != nil && a.Text == b.Text }
	switch {
	case c.Change == "removed" && same(c.Before, tomb.After):
		c.Source, c.tomb = tomb.Source, true
		return true
	case c.Change == "added" && same(c.After, tomb.Before):
		return true
	}
	return false
}

// sameChange names what a change did, wherever it was recorded: a write that
// waited is in the journal twice, and in the branch once.
func sameChange(c Change) string {
	name := c.Kind + "\x00" + c.Key + "\x00" + c.Change
	for _, v := range []*memfile.Value{c.Before, c.After} {
		name += "\x00"
		if v != nil {
			name += v.Canonical()
		}
	}
	return name
}
