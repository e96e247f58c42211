package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// purgeValues are the values that the key has or had: in the files, in what
// waits, in history, in the journal and where no ref leads; of an entry its text. Of
// a purge that was here before there is policy.Gone. A store that cannot be read
// is left out, and said in the error. In are the stores that have or had it.
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
				list = append(list, memfile.Str(policy.Gone))
			}
		}
	}
	version := func(v store.Version) bool {
		of(v.After())
		of(v.Before())
		return true
	}
	id, err := purgedEntry(ctx, stores, key)
	if err != nil {
		return nil, nil, err
	}
	var failed error
	for _, st := range stores {
		before := len(list)
		if m, err := st.Read(ctx); err != nil {
			failed = errors.Join(failed, err)
		} else {
			of(memfile.Document{Items: plainItems(m), Deletions: m.Deletions})
		}
		waiting, err := st.QueueOfAll()
		failed = errors.Join(failed, err)
		for _, w := range waiting {
			if w.Key == key {
				list = append(list, w.Value)
			}
		}
		if id != "" {
			list, err = entryValues(ctx, st, id, list)
			failed = errors.Join(failed, err)
		}
		if st.Repo != nil {
			journal := func(v store.Version, _ []gitops.ChangedFile, _ gitops.JournalEntry) bool { return version(v) }
			failed = errors.Join(failed, st.HistoryAll(ctx, version), st.JournalHistory(ctx, journal))
			failed = errors.Join(failed, st.UnledValues(ctx, key, id, func(v memfile.Value) {
				if !policy.OnlyGone(v) { // as history was prepared for a person's commands
					list = append(list, v)
				}
			}))
		}
		if len(list) > before {
			in = append(in, st)
		}
	}
	return list, in, failed
}

// plainItems are the items as they stand in the file.
func plainItems(m *store.Memory) []memfile.Item {
	list := make([]memfile.Item, len(m.Items))
	for i := range m.Items {
		list[i] = m.Items[i].Item
	}
	return list
}

// purgedEntry is the whole id of the one entry, standing, deleted or only in
// history or the journal, whose id is so or begins so; "" where there is none. Errors: *Error,
// ambiguous.
func purgedEntry(ctx context.Context, stores []*store.Store, id string) (string, error) {
	if memfile.KeyForm(id) {
		return "", nil
	}
	var ids []string
	add := func(whole string) {
		if matchesID(whole, id) && !slices.Contains(ids, whole) {
			ids = append(ids, whole)
		}
	}
	for _, st := range stores {
		all, err := st.Entries(ctx)
		if err != nil {
			return "", err
		}
		for _, e := range all.List {
			add(e.ID)
		}
		every := func(_ string, p entry.Place) bool { add(p.ID); return false }
		if st.Repo == nil {
			continue
		}
		if _, _, err := st.LostEntry(ctx, every); err != nil {
			return "", err
		}
		if _, _, err := st.JournalFile(ctx, func(p entry.Place) bool { add(p.ID); return false }); err != nil {
			return "", err
		}
	}
	switch {
	case len(ids) == 0:
		return "", nil
	case slices.Contains(ids, id):
		return id, nil
	case len(ids) == 1:
		return ids[0], nil
	}
	e := &Error{Code: ruleAmbiguous, Status: 1, Message: quoted(policy.Inert(id)) + ": several ids begin so"}
	const most = 10
	for _, whole := range ids[:min(len(ids), most)] {
		e.Hints = append(e.Hints, "memctl purge "+policy.Inert(redacted(whole)))
	}
	return "", e
}

// entryValues adds the texts of the entry of that id, those too that history
// or the journal alone has.
func entryValues(ctx context.Context, st *store.Store, id string, list []memfile.Value) ([]memfile.Value, error) {
	all, err := st.Entries(ctx)
	if err != nil {
		return list, err
	}
	for _, e := range all.List {
		if e.ID == id {
			list = append(list, memfile.Str(e.Text))
		}
	}
	if st.Repo == nil {
		return list, nil
	}
	fits := func(p entry.Place) bool { return p.ID == id }
	lost := func(ctx context.Context, fits func(entry.Place) bool) (string, []byte, error) {
		return st.LostEntry(ctx, func(_ string, p entry.Place) bool { return fits(p) })
	}
	for _, find := range []func(context.Context, func(entry.Place) bool) (string, []byte, error){lost, st.JournalFile} {
		name, src, err := find(ctx, fits)
		if err != nil {
			return list, err
		}
		if e := entry.In(name, src); e != nil {
			list = append(list, memfile.Str(e.Text))
		}
	}
	return list, nil
}

// notPurged refuses to bring back what stands where a purged value was.
func notPurged(v memfile.Value) error {
	gone := v.Text == policy.Gone
	for _, member := range v.List {
		gone = gone || notPurged(member) != nil
	}
	for _, field := range v.Map {
		gone = gone || notPurged(field.Value) != nil
	}
	if gone {
		return refuse(rulePurged, "the value was purged, so it cannot be brought back")
	}
	return nil
}
