package view

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
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
		err := EachLost(ctx, st, journal, func(p entry.PathInfo) bool { return memory.MatchesID(p.ID, id) }, func(l *LostEntry, _ entry.Entry) bool {
			found = l
			return false
		})
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// EachLost calls fn for deleted entries in the places that pick accepts, until fn returns false:
// first for those with a file below deleted, then for the newest version of files that are only in
// HEAD's history (with journal, in the journal).
func EachLost(ctx context.Context, st *store.Store, journal bool, pick func(entry.PathInfo) bool, fn func(*LostEntry, entry.Entry) bool) error {
	files, err := contents.EntryFiles(ctx, st)
	known, more := map[string]bool{}, true
	look := func(path string, deleted bool, read func() ([]byte, error)) {
		live := entry.LivePath(path)
		if p, _ := entry.ParsePath(path); !more || err != nil || p.Deleted != deleted || known[live] && !deleted || !pick(p) {
			return
		}
		known[live] = true // the versions before it are older
		var src []byte
		if src, err = read(); err == nil {
			if e := entry.ParseOrNil(path, src); e != nil {
				more = fn(&LostEntry{st, path, src, deleted}, *e)
			}
		}
	}
	for _, name := range files {
		known[entry.LivePath(name)] = true
	}
	for _, name := range files {
		look(name, true, func() ([]byte, error) { return contents.EntryBytes(st, name) })
	}
	if !more || err != nil {
		return err
	}
	each := func(v contents.Version) bool {
		for _, f := range v.Files {
			look(f.Path, false, func() ([]byte, error) {
				was, is, err := contents.FileSides(ctx, st, f)
				if is == nil {
					return was, err
				}
				return is, err
			})
		}
		return more && err == nil
	}
	var failed error
	if journal {
		failed = ledger.JournalHistory(ctx, st, each)
	} else {
		failed = contents.History(ctx, st, contents.OfHead, true, each)
	}
	if fault.Is(failed, fault.NoHistory) {
		failed = nil
	}
	return cmp.Or(err, failed)
}

// EntryAt is the entry of that id, or of its beginning, in a revision; nil for none.
func EntryAt(ctx context.Context, st *store.Store, rev, id string) (*LostEntry, error) {
	blobs, err := object.FilesUnder(ctx, st.Repo, rev, st.GitPathOf(entry.Root))
	for _, at := range slices.Sorted(maps.Keys(blobs)) {
		name := contents.PathInStore(st, at)
		if place, ok := entry.ParsePath(name); ok && !place.Deleted && memory.MatchesID(place.ID, id) {
			src, err := contents.StoredFile(ctx, st, blobs[at], at)
			return &LostEntry{Store: st, Path: name, Src: src}, err
		}
	}
	return nil, err
}

// Earlier is the item as of the revision. Without one it is the newest version in history (with journal, in the journal)
// that differs from the item now, if possible one that was not purged. A note says if it is from another branch.
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
	found := picked{pick: pick, now: now}
	if journal {
		err = found.inJournal(ctx, st)
	} else if aside := asideOf(now, keys); found.pick(now) == nil && aside != nil {
		return aside, conflictNote(aside), nil
	} else {
		err = contents.History(ctx, st, contents.OfHead, false, func(v contents.Version) bool {
			return !found.matchVersion(v.After()) && !found.matchVersion(v.Before())
		})
	}
	if fault.Is(err, fault.NoHistory) {
		err = nil
	}
	if it := cmp.Or(found.item, found.purged); it != nil || found.other == nil || err != nil {
		return it, nil, err
	}
	return found.other, []fault.Note{fault.NewNote("of-other-branch", "this branch never had this value; `memctl log --all "+policy.Inert(memory.Redacted(found.other.Key))+"` lists what other branches had")}, nil
}

// asideOf makes one item of the values that a merge kept with the key's tombstone; nil for none.
func asideOf(now memfile.Document, keys []string) *memfile.Item {
	var aside []memfile.Item
	for _, key := range keys {
		if t := contents.Tombstone(now, key); t != nil {
			for _, r := range t.Conflict {
				if memory.NotPurged(r.Value) == nil {
					aside = append(aside, memfile.Item{Key: t.Key, Value: r.Value, Added: r.Added, Labels: r.Labels})
				}
			}
		}
	}
	if len(aside) == 0 {
		return nil
	}
	it := merge.SameKey(aside)
	return &it
}

func conflictNote(it *memfile.Item) []fault.Note {
	if len(it.Conflict) == 0 {
		return nil
	}
	return []fault.Note{fault.NewNote("has-conflict", fmt.Sprintf("%s has more values in conflict (%d); memctl review lists them", policy.Inert(memory.Redacted(it.Key)), len(it.Conflict)))}
}

// picked is the first item that is not how it is now.
type picked struct {
	pick   func(memfile.Document) *memfile.Item
	now    memfile.Document
	item   *memfile.Item
	purged *memfile.Item // its value was purged
	other  *memfile.Item // of another branch
}

// matchVersion looks at the item of a version, and reports whether it is the one.
func (p *picked) matchVersion(doc memfile.Document) bool {
	it, current := p.pick(doc), p.pick(p.now)
	switch {
	case it == nil || p.item != nil || current != nil && reflect.DeepEqual(it.Value, current.Value):
	case memory.NotPurged(it.Value) != nil:
		p.purged = cmp.Or(p.purged, it)
	default:
		p.item = it
	}
	return p.item != nil
}

// inJournal takes the newest value here, and the newest one of another branch.
func (p *picked) inJournal(ctx context.Context, st *store.Store) error {
	isHere, err := ledger.WrittenHere(st)
	if err != nil {
		return err
	}
	other := picked{pick: p.pick, now: p.now}
	return ledger.JournalHistory(ctx, st, func(v contents.Version) bool {
		if !isHere(*v.Entry) {
			other.matchVersion(v.After())
			p.other = other.item
			return true
		}
		return !p.matchVersion(v.After()) && !p.matchVersion(v.Before())
	})
}
