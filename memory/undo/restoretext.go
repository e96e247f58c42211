package undo

import (
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// restoreText restores the entry of that text; done is false where there is none.
func restoreText(ctx context.Context, ss *store.Stores, stores []*store.Store, req RestoreRequest, w memory.Write) (_ memory.Write, done bool, err error) {
	back, err := findLostText(ctx, stores, req.Key, req.Journal)
	var ambiguous *memory.Refusal
	switch {
	case errors.As(err, &ambiguous):
		w, err = w.Refused(ambiguous)
	case back == nil && err == nil:
		return w, false, nil
	default:
		w, err = restoreEntry(ctx, back, req, w, err)
	}
	return w, true, err
}

// findLostText looks in HEAD's history, or in the journal, for the entry of that text
// whose file does not stand any more: of exactly that text, else the only one that contains it as
// whole words; nil where there is none. Errors: *memory.Refusal, where several fit.
func findLostText(ctx context.Context, stores []*store.Store, text string, journal bool) (*view.LostEntry, error) {
	want := memfile.NormalText(text)
	if want == "" || memfile.KeyForm(text) {
		return nil, nil
	}
	var same, contain []*view.LostEntry
	for _, st := range stores {
		err := eachLostOrAside(ctx, st, journal, func(l *view.LostEntry, e entry.Entry) {
			switch is := memfile.NormalText(e.Text); {
			case is == want:
				same = append(same, l)
			case len(want) >= edit.ContainedBytes && edit.ContainsWords(is, want):
				contain = append(contain, l)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	found := same
	if len(found) == 0 {
		found = contain
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, severalLost(found, journal)
}

// eachLostOrAside is eachLost, after the files that stand among the deleted ones.
func eachLostOrAside(ctx context.Context, st *store.Store, journal bool, fn func(*view.LostEntry, entry.Entry)) error {
	files, _, err := contents.EntryFiles(ctx, st)
	if err != nil {
		return err
	}
	for _, f := range files {
		if p, _ := entry.ParsePath(f.Path); !f.Deleted || p.Tier == entry.Turn {
			continue
		}
		src, err := contents.EntryBytes(st, f.Path)
		if err != nil {
			return err
		}
		if e := entry.In(f.Path, src); e != nil {
			fn(&view.LostEntry{Store: st, Path: f.Path, Src: src, Deleted: true}, *e)
		}
	}
	return eachLost(ctx, st, journal, fn)
}

// eachLost calls fn for the newest file of each entry that HEAD's history, or the
// journal, has and that does not stand any more, by its place or among the deleted ones.
func eachLost(ctx context.Context, st *store.Store, journal bool, fn func(*view.LostEntry, entry.Entry)) error {
	var list []object.ChangedFile
	seen := map[string]bool{}
	take := func(files []object.ChangedFile) bool {
		for _, f := range files {
			if p, _ := entry.ParsePath(f.Path); !p.Deleted && p.Tier != entry.Turn && !seen[f.Path] {
				seen[f.Path] = true
				list = append(list, f)
			}
		}
		return true
	}
	var err error
	if journal {
		err = ledger.JournalHistory(ctx, st, func(_ contents.Version, files []object.ChangedFile, _ committer.JournalEntry) bool {
			return take(files)
		})
	} else {
		err = contents.MemoryHistory(ctx, st, false, func(_ contents.Version, files []object.ChangedFile) bool { return take(files) })
	}
	if fault.Is(err, fault.NoHistory) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range list {
		stands := false
		for _, at := range []string{f.Path, entry.DeletedPath(f.Path)} {
			src, err := contents.EntryBytes(st, at)
			if err != nil {
				return err
			}
			stands = stands || src != nil
		}
		if stands {
			continue
		}
		v, err := contents.ReadFileVersion(ctx, st, contents.Version{}, f)
		if err != nil {
			return err
		}
		src := v.Is
		if src == nil { // it was taken away
			src = v.Was
		}
		if e := entry.In(f.Path, src); e != nil {
			fn(&view.LostEntry{Store: st, Path: f.Path, Src: src, Deleted: false}, *e)
		}
	}
	return nil
}

// severalLost is the refusal that names what a text could mean.
func severalLost(found []*view.LostEntry, journal bool) *memory.Refusal {
	const most = 10
	place, facts := "that were removed", memory.Facts{}
	if journal {
		place, facts.Why = "of the journal", "journal"
	}
	r := memory.Refuse(memory.RuleAmbiguous, "several entries "+place+" match, so none is restored", facts)
	for _, l := range found[:min(len(found), most)] {
		e := entry.In(l.Path, l.Src)
		withheld := contents.Refused(contents.RuleEntry(l.Store, *e, "", false, true))
		r.Notes = append(r.Notes, l.Store.Scope+": "+memory.ShortID(e.ID)+" = "+memory.ShownText(withheld, e.Text))
		r.Facts.Names = append(r.Facts.Names, memory.ShortID(e.ID))
	}
	return r
}
