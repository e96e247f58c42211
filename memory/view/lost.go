package view

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// LostEntry is an entry that can be restored: one that was moved to deleted, or one that only
// git has.
type LostEntry struct {
	Store   *store.Store
	Path    string
	Src     []byte
	Deleted bool // the file is at Path, below deleted
}

// FindLost looks for a deleted entry of that id, then for one that history has, or with journal
// the journal; nil where there is none.
func FindLost(ctx context.Context, stores []*store.Store, id string, journal bool) (found *LostEntry, err error) {
	if memfile.KeyForm(id) {
		return nil, nil
	}
	for _, st := range stores {
		err := EachLost(ctx, st, journal, func(p entry.Place) bool { return memory.MatchesID(p.ID, id) }, func(l *LostEntry, _ entry.Entry) bool {
			found = l
			return false
		})
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// EachLost calls fn for the entries of a store that were deleted and whose place pick takes, until
// fn returns false: first those whose files are below deleted, then the newest file of each that
// HEAD's history has, or with journal the journal, and that is not on disk.
func EachLost(ctx context.Context, st *store.Store, journal bool, pick func(entry.Place) bool, fn func(*LostEntry, entry.Entry) bool) error {
	files, _, err := contents.EntryFiles(ctx, st)
	if err != nil {
		return err
	}
	onDisk, more := map[string]bool{}, true
	call := func(path string, src []byte, deleted bool) {
		if e := entry.In(path, src); e != nil {
			more = fn(&LostEntry{st, path, src, deleted}, *e)
		}
	}
	for _, f := range files {
		onDisk[entry.LivePath(f.Path)] = true
		if p, _ := entry.ParsePath(f.Path); !more || !f.Deleted || !pick(p) {
			continue
		}
		src, err := contents.EntryBytes(st, f.Path)
		if err != nil {
			return err
		}
		call(f.Path, src, true)
	}
	take := func(files []object.ChangedFile) bool {
		for _, f := range files {
			if p, _ := entry.ParsePath(f.Path); !more || err != nil || p.Deleted || onDisk[f.Path] || !pick(p) {
				continue
			}
			onDisk[f.Path] = true // the versions before it are older
			var file contents.FileVersion
			if file, err = contents.ReadFileVersion(ctx, st, contents.Version{}, f); err == nil && file.Is != nil {
				call(f.Path, file.Is, false)
			} else if err == nil {
				call(f.Path, file.Was, false)
			}
		}
		return more && err == nil
	}
	if !more {
		return nil
	}
	var failed error
	if journal {
		failed = ledger.JournalHistory(ctx, st, func(_ contents.Version, files []object.ChangedFile, _ committer.JournalEntry) bool {
			return take(files)
		})
	} else {
		failed = contents.EntryHistory(ctx, st, false, func(_ object.Version, files []object.ChangedFile) bool { return take(files) })
	}
	if fault.Is(failed, fault.NoHistory) {
		failed = nil
	}
	return cmp.Or(err, failed)
}

// Earlier is the item as of the revision; without one, the newest version of
// it in history that is not how it stands now, nor purged where there is one that was
// not; from the journal with a note where it is another branch's.
func Earlier(ctx context.Context, st *store.Store, key, rev string, journal bool) (*memfile.Item, []fault.Note, error) {
	keys := slices.Compact([]string{key, memory.NormalKey(key)})
	pick := func(doc memfile.Document) *memfile.Item {
		for _, key := range keys {
			if i := merge.Duplicates(&doc, key); i >= 0 {
				return &doc.Items[i]
			}
		}
		return nil
	}
	if rev != "" {
		doc, err := contents.DocumentAt(ctx, st, rev)
		return pick(doc), nil, err
	}
	now, err := contents.Document(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	if journal {
		return fromJournal(ctx, st, keys, pick, now)
	}
	found := picked{current: pick(now)}
	var aside []memfile.Item // what merges kept with the key's tombstone
	for _, key := range keys {
		if t := contents.Tombstone(now, key); t != nil {
			for _, r := range t.Conflict {
				aside = append(aside, memfile.Item{Key: t.Key, Value: r.Value, Added: r.Added, Labels: r.Labels})
			}
		}
	}
	aside = slices.DeleteFunc(aside, func(it memfile.Item) bool { return memory.NotPurged(it.Value) != nil })
	if found.current == nil && len(aside) > 0 {
		return conflictItem(ctx, st, aside, pick)
	}
	err = contents.History(ctx, st, func(v contents.Version) bool {
		return !found.take(pick(v.After())) && !found.take(pick(v.Before()))
	})
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	return cmp.Or(found.item, found.purged), nil, err
}

// picked is the first item that is not how it stands now.
type picked struct{ current, item, purged *memfile.Item } // purged: its value was purged

// take looks at an item, and reports whether it is the one.
func (p *picked) take(it *memfile.Item) bool {
	switch {
	case it == nil || p.item != nil || p.current != nil && reflect.DeepEqual(it.Value, p.current.Value):
	case memory.NotPurged(it.Value) != nil:
		p.purged = cmp.Or(p.purged, it)
	default:
		p.item = it
	}
	return p.item != nil
}

// conflictItem makes one item of values that were set aside, with what each had beside its
// value where history tells: one stands, the others are in conflict with it.
func conflictItem(ctx context.Context, st *store.Store, items []memfile.Item, pick func(memfile.Document) *memfile.Item) (*memfile.Item, []fault.Note, error) {
	known := make([]bool, len(items))
	look := func(was *memfile.Item) {
		i := slices.IndexFunc(items, func(it memfile.Item) bool { return was != nil && memfile.Equal(it.Value, was.Value) })
		if i < 0 || known[i] {
			return
		}
		items[i], known[i] = *was, true
		items[i].Line, items[i].Column, items[i].Conflict = 0, 0, nil
	}
	err := contents.History(ctx, st, func(v contents.Version) bool {
		look(pick(v.After()))
		look(pick(v.Before()))
		return slices.Contains(known, false)
	})
	if err != nil && !fault.Is(err, fault.NoHistory) {
		return nil, nil, err
	}
	it := merge.SameKey(items)
	var notes []fault.Note
	if n := len(it.Conflict); n > 0 {
		key := policy.Inert(memory.Redacted(it.Key))
		notes = append(notes, fault.NewNote("has-conflict", fmt.Sprintf("%s has more values in conflict (%d); memctl review lists them", key, n)))
	}
	return &it, notes, nil
}

// fromJournal is the item of the keys that a restore from the journal brings back: what is gone from this branch, else
// the newest value here that is not how it is now, else the newest one of another branch.
func fromJournal(ctx context.Context, st *store.Store, keys []string, pick func(memfile.Document) *memfile.Item, now memfile.Document) (*memfile.Item, []fault.Note, error) {
	here := picked{current: pick(now)}
	other := here
	var lost *memfile.Item // as the newest act here left it whose commit the branch has not
	closed := false        // an act here whose commit it has was met: what is older is not lost
	isHere, err := ledger.Here(st)
	if err == nil {
		err = ledger.JournalHistory(ctx, st, func(v contents.Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
			it := pick(v.After())
			if !isHere(e) {
				other.take(it)
				return true
			}
			names := slices.ContainsFunc(e.Trailers, func(tr object.Trailer) bool { return tr.Name == "Memory-Key" && slices.Contains(keys, tr.Value) })
			if names && lost == nil && !closed {
				closed = e.Commit != "" && contents.InHistory(ctx, st, e.Commit)
				if !closed && it != nil && memory.NotPurged(it.Value) == nil && !ledger.SaySame(v.After(), now, it.Key) {
					lost = it
				}
			}
			if !here.take(it) {
				here.take(pick(v.Before()))
			}
			return true
		})
	}
	if fault.Is(err, fault.NoHistory) {
		return nil, nil, nil
	}
	own := cmp.Or(lost, here.item)
	if err != nil || own != nil || other.item == nil {
		return cmp.Or(own, here.purged), nil, err
	}
	return other.item, []fault.Note{fault.NewNote("of-other-branch", "this branch never had this value; `memctl log --all "+policy.Inert(memory.Redacted(other.item.Key))+"` lists what other branches had")}, nil
}

// JournalHint is the command that restores the key's item where that is in the journal and not in
// this branch's history, unless its value was purged or the policy refuses it. It is for people:
// an agent may not learn of such keys.
func JournalHint(ctx context.Context, ss *store.Stores, key, scope string) []string {
	stores, err := memory.HistoryStores(ctx, ss, scope)
	if err != nil || !memfile.KeyForm(key) {
		return nil
	}
	for _, st := range stores {
		if it, _, err := Earlier(ctx, st, key, "", false); it != nil || err != nil {
			continue
		}
		it, _, _ := Earlier(ctx, st, key, "", true)
		if it != nil && memory.NotPurged(it.Value) == nil && memory.RuleOn(st, txn.NewRecord(*it)) == nil {
			return []string{"memctl restore " + policy.Inert(memory.Redacted(key)) + " --from journal" + memory.ScopeFlag(scope)}
		}
	}
	return nil
}
