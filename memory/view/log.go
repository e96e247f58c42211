package view

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// Log is the history of all items and entries, or of one, newest first.
func Log(ctx context.Context, ss *store.Stores, who contents.Reader, req LogRequest) (LogResult, error) {
	res, err := logWhole(ctx, ss, req)
	res.Withheld = changesFor(who, res.Changes)
	return res, err
}

// logWhole is Log for a person.
func logWhole(ctx context.Context, ss *store.Stores, req LogRequest) (LogResult, error) {
	res := LogResult{Schema: memory.SchemaNumber, Changes: []Change{}}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		h, err := newHistorian(ctx, ss, st)
		if err != nil {
			return res, err
		}
		changes, err := h.log(ctx, req)
		if err != nil {
			return res, err
		}
		res.Changes = append(res.Changes, changes...)
	}
	slices.SortStableFunc(res.Changes, func(a, b Change) int { return strings.Compare(b.Date, a.Date) })
	if req.Max > 0 {
		res.Changes = newestActs(res.Changes, req.Max)
	}
	if req.Key != "" && len(res.Changes) == 0 {
		e := &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(req.Key) + ": no commit changed an item of this key"}
		if !req.All { // else other branches and the journal were looked at
			e.Hints = []string{"memctl log --all " + policy.Inert(memory.Redacted(req.Key))}
		}
		return res, e
	}
	return res, nil
}

// log is the history of one store: of this branch, or of every branch, and after it what only the
// journal has: writes that were never committed, or whose commits are gone.
func (h *historian) log(ctx context.Context, req LogRequest) (list []Change, err error) {
	commits, known := map[string]bool{}, map[string]bool{}
	key := req.Key
	var failed error
	tell := func(v contents.Version, files []object.ChangedFile) (told []Change) {
		told, failed = h.changesIn(ctx, v, files, key)
		key = oldKey(v, key)
		return told
	}
	acts := 0
	each := func(v contents.Version, files []object.ChangedFile) bool {
		told := tell(v, files)
		list, commits[v.Commit] = append(list, told...), true
		if len(told) > 0 {
			acts++
		}
		return failed == nil && (req.All || req.Max == 0 || acts < req.Max)
	}
	if !req.All && memfile.KeyForm(req.Key) { // no entry has this name, so no commit of entries is read
		err = contents.History(ctx, h.store, func(v contents.Version) bool { return each(v, nil) })
	} else {
		err = contents.MemoryHistory(ctx, h.store, req.All, each)
	}
	if err = errors.Join(failed, err); err != nil || !req.All {
		return list, err
	}
	for _, c := range list {
		known[c.meaning()] = true
	}
	key = req.Key
	err = ledger.JournalHistory(ctx, h.store, func(v contents.Version, files []object.ChangedFile, e committer.JournalEntry) bool {
		if commits[e.Commit] {
			key = oldKey(v, key)
			return true
		}
		for _, c := range append(tell(v, files), h.dropped(ctx, v, e, key)...) {
			if same := c.meaning(); !known[same] {
				known[same], c.Journal = true, true
				list = append(list, c)
			}
		}
		return failed == nil
	})
	return list, errors.Join(failed, err)
}

// dropped tells which writes an entry of the journal keeps that were dropped from the queue.
func (h *historian) dropped(ctx context.Context, v contents.Version, e committer.JournalEntry, key string) (list []Change) {
	for _, q := range ledger.DroppedIn(ctx, h.store, e) {
		c := h.begin(memfile.DeltaItem, policy.Inert(memory.Redacted(q.Key)), true, false)
		if key != "" && c.Key != memory.NormalKey(key) {
			continue
		}
		c.Before = c.side(q.Value, h.store.Rule(policy.Candidate{Key: q.Key, Value: q.Value, Raw: true}), h.forgottenValue(q.Value))
		h.stamp(&c, v, commitAct{name: "dropped before it was stored"})
		list = append(list, c)
	}
	return list
}

// newestActs are the changes of the first acts of a log, each whole: a merge is one act,
// however many changes it brought.
func newestActs(changes []Change, most int) []Change {
	acts := 0
	for i := range changes {
		if i > 0 && changes[i-1].Commit == changes[i].Commit && changes[i-1].Scope == changes[i].Scope {
			continue
		}
		if acts++; acts > most {
			return changes[:i]
		}
	}
	return changes
}

// changesIn is what one commit, or entry of the journal, changed: items and entries.
func (h *historian) changesIn(ctx context.Context, v contents.Version, files []object.ChangedFile, key string) ([]Change, error) {
	acts := actsOf(v)
	items := h.describe(v.Deltas(), key)
	for i := range items {
		h.stamp(&items[i], v, acts.on(items[i].Key))
	}
	if key != "" && memfile.KeyForm(key) {
		return items, nil
	}
	entries, err := h.entryChanges(ctx, v, files, key)
	for i := range entries {
		items = slices.DeleteFunc(items, func(c Change) bool { return entries[i].sameAsTombstone(c) })
	}
	return append(items, entries...), err
}

// maxToldEntries bounds the entries of one commit that a list tells: an import
// of thousands is one act.
const maxToldEntries = 100

// entryChanges tells the entries that a version changed, those of one id where it
// is named. An entry that moved to the deleted ones, or back, is told under its path among the others.
func (h *historian) entryChanges(ctx context.Context, v contents.Version, files []object.ChangedFile, id string) (list []Change, err error) {
	changed := map[string]bool{}
	for _, f := range files {
		changed[f.Path] = true
	}
	rest := Change{Kind: ChangeEntry, Scope: h.store.Scope}
	acts := actsOf(v)
	for _, f := range files {
		place, _ := entry.ParsePath(f.Path)
		if id != "" && !memory.MatchesID(place.ID, id) || id == "" && place.Tier == entry.Turn {
			continue
		}
		if place.Deleted && changed[entry.LivePath(f.Path)] {
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
		c := h.entryChange(version, f.Path)
		h.stamp(&c, v, acts.on(place.ID))
		list = append(list, c)
	}
	if rest.MoreCount > 0 {
		last := list[len(list)-1]
		rest.Commit, rest.Author, rest.Date, rest.Act, rest.Change = last.Commit, last.Author, last.Date, last.Act, last.Change
		list = append(list, rest)
	}
	return list, nil
}

// sameAsTombstone reports whether a tombstone came or went with the entry that it is
// about: the same change, told once.
func (c *Change) sameAsTombstone(tomb Change) bool {
	about := func(v *memfile.Value, t *memfile.Tombstone) bool {
		return v != nil && t != nil && t.OfEntry() && t.Recognises(v.Text)
	}
	switch {
	case c.Change == "removed" && about(c.Before, tomb.tombs[1]):
		c.Source, c.tomb = tomb.Source, true
		return true
	case c.Change == "added" && about(c.After, tomb.tombs[0]):
		return true
	}
	return false
}

// meaning names what a change did, wherever it was recorded: a write that
// waited is in the journal twice, and in the branch once.
func (c *Change) meaning() string {
	name := c.Kind + "\x00" + c.Key + "\x00" + c.Change
	for _, v := range []*memfile.Value{c.Before, c.After} {
		name += "\x00"
		if v != nil {
			name += v.Canonical()
		}
	}
	return name
}

// Diff lists the differences between two versions, item by item.
func Diff(ctx context.Context, ss *store.Stores, who contents.Reader, req DiffRequest) (DiffResult, error) {
	res := DiffResult{Schema: memory.SchemaNumber, From: req.From, To: req.To, Changes: []Change{}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	if st.Repo == nil {
		return res, memory.NoHistory(ss, st)
	}
	if res.From == "" {
		res.From = "HEAD"
	}
	before, err := documentAt(ctx, st, res.From, req.From == "")
	if err != nil {
		return res, err
	}
	after, err := documentAt(ctx, st, req.To, false)
	if err != nil {
		return res, err
	}
	h, err := newHistorian(ctx, ss, st)
	if err != nil {
		return res, err
	}
	res.Changes = append(res.Changes, h.describe(memfile.Diff(before, after), "")...)
	res.Withheld = changesFor(who, res.Changes)
	return res, nil
}

// documentAt is the memory in a revision; "" is the file on disk. Before the
// first commit HEAD has none, which is no error where it was not asked for.
func documentAt(ctx context.Context, st *store.Store, rev string, orNone bool) (memfile.Document, error) {
	if rev == "" {
		return contents.Document(ctx, st)
	}
	if orNone {
		if state, err := st.Repo.State(); err == nil && state.Unborn {
			return contents.NoDocument(), nil
		}
	}
	doc, ok, err := contents.DocumentAt(ctx, st, rev)
	if err == nil && !ok {
		doc = contents.NoDocument()
	}
	return doc, err
}
