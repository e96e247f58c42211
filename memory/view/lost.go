package view

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
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
