package upkeep

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// purgeValues are the values that the key has or had: in the files, in what
// waits, in history and in the journal; of an entry its text. An earlier purge
// of the key gives policy.PurgedMark. A store that cannot be read is left out and
// named in the error. in has the stores of the values.
func purgeValues(ctx context.Context, stores []*store.Store, key string) (list []memfile.Value, in []*store.Store, err error) {
	of := func(doc memfile.Document) {
		for _, it := range doc.Items {
			if it.Key != key {
				continue
			}
			list = append(list, it.Value)
			for _, rival := range it.Conflict {
				list = append(list, rival.Value)
			}
		}
		for _, t := range doc.Deletions {
			switch {
			case t.Key != key:
			case t.Value != nil:
				list = append(list, *t.Value)
			default: // it was known, and its value stands here no more
				list = append(list, memfile.Str(policy.PurgedMark))
			}
		}
	}
	version := func(v contents.Version) bool {
		of(v.After())
		of(v.Before())
		return true
	}
	texts := make([]map[string][]memfile.Value, len(stores))
	for i, st := range stores {
		if texts[i] = map[string][]memfile.Value{}; memfile.KeyForm(key) {
			continue
		}
		if err := entryTexts(ctx, st, key, texts[i]); err != nil {
			return nil, nil, err
		}
	}
	id, err := namedEntry(texts, key)
	if err != nil {
		return nil, nil, err
	}
	var failed error
	for i, st := range stores {
		before := len(list)
		if m, err := contents.Read(ctx, st); err != nil {
			failed = errors.Join(failed, err)
		} else {
			of(memfile.Document{Items: plainItems(m), Deletions: m.Deletions})
		}
		waiting, err := ledger.QueueOfAll(st)
		failed = errors.Join(failed, err)
		for _, w := range waiting {
			if w.Key == key {
				list = append(list, w.Value)
			}
		}
		if list = append(list, texts[i][id]...); len(texts[i][id]) > 0 {
			parts, err := partTexts(ctx, st, id)
			list, failed = append(list, parts...), errors.Join(failed, err)
		}
		if st.Repo != nil {
			failed = errors.Join(failed, contents.History(ctx, st, contents.OfBranches, false, version), ledger.JournalHistory(ctx, st, version))
		}
		if len(list) > before {
			in = append(in, st)
		}
	}
	return list, in, failed
}

// plainItems are the items as they stand in the file.
func plainItems(m *contents.Memory) []memfile.Item {
	list := make([]memfile.Item, len(m.Items))
	for i := range m.Items {
		list[i] = m.Items[i].Item
	}
	return list
}

// entryTexts adds the texts that the entries with that id, or with an id that begins so,
// have in a store or had in its history or journal, by the whole id.
func entryTexts(ctx context.Context, st *store.Store, id string, texts map[string][]memfile.Value) error {
	all, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return err
	}
	for _, e := range slices.Concat(all.List, all.Copies) {
		if memory.MatchesID(e.ID, id) {
			texts[e.ID] = append(texts[e.ID], memfile.Str(e.Text))
		}
	}
	if st.Repo == nil {
		return nil
	}
	for _, journal := range []bool{false, true} {
		err := view.EachLost(ctx, st, journal, func(p entry.PathInfo) bool { return memory.MatchesID(p.ID, id) }, func(l *view.LostEntry, e entry.Entry) bool {
			if !l.Deleted { // one below deleted is in the list
				p, _ := entry.ParsePath(l.Path)
				texts[p.ID] = append(texts[p.ID], memfile.Str(e.Text))
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// partTexts are the texts of the facts that were compacted into an entry, as a store has them below deleted, or had
// them there in its history or journal.
func partTexts(ctx context.Context, st *store.Store, id string) (list []memfile.Value, err error) {
	all, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return nil, err
	}
	entries := slices.Clip(all.List)
	take := func(v contents.Version) bool {
		for _, f := range v.Files {
			if p, _ := entry.ParsePath(f.Path); p.Deleted && f.After != "" && err == nil {
				var src []byte
				src, err = contents.StoredFile(ctx, st, f.After, st.GitPathOf(f.Path))
				if e := entry.ParseOrNil(f.Path, src); e != nil {
					entries = append(entries, contents.Entry{Entry: *e, Deleted: true})
				}
			}
		}
		return err == nil
	}
	if st.Repo != nil {
		history, journal := contents.History(ctx, st, contents.OfBranches, true, take), ledger.JournalHistory(ctx, st, take)
		err = errors.Join(err, history, journal)
	}
	for _, e := range PartsOf(id, entries) {
		list = append(list, memfile.Str(e.Text))
	}
	return list, err
}

// namedEntry is the id of the one entry that was named; "" for none. Errors: *fault.Error,
// ambiguous.
func namedEntry(texts []map[string][]memfile.Value, id string) (string, error) {
	ids := map[string]bool{}
	for _, of := range texts {
		for whole := range of {
			ids[whole] = true
		}
	}
	list := slices.Sorted(maps.Keys(ids))
	switch {
	case len(list) == 0:
		return "", nil
	case ids[id]:
		return id, nil
	case len(list) == 1:
		return list[0], nil
	}
	e := &fault.Error{Code: memory.RuleAmbiguous, Status: 1, Cause: memory.Quoted(policy.Inert(id)) + ": several ids begin with this"}
	const most = 10
	for _, whole := range list[:min(len(list), most)] {
		e.Hints = append(e.Hints, "memctl purge "+policy.Inert(memory.Redacted(whole)))
	}
	return "", e
}
