package memory

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

// How a key stood when a write of it was put into the queue, where it had no value.
const (
	stoodAbsent    = "absent"
	stoodForgotten = "forgotten"
)

// stands is how the key, or the entry's text, stands now, for comparison alone.
func stands(ctx context.Context, st *store.Store, q store.Waiting) (string, error) {
	if q.Entry != nil {
		f, _ := entry.Parse("", q.Entry)
		forgotten, err := st.Forgotten(ctx)
		if err != nil || f == nil || !forgotten.Entry(f.Entry()) {
			return stoodAbsent, err
		}
		return stoodForgotten, nil
	}
	doc, err := st.Document(ctx)
	if err != nil {
		return "", err
	}
	if !st.HasFile() { // a git may have taken it away for a moment
		if m, err := st.Read(ctx); err != nil {
			return "", err
		} else if kept, err := m.Kept(ctx); err != nil {
			return "", err
		} else if kept != nil {
			doc = *kept
		}
	}
	return standsIn(doc, q), nil
}

// standsIn is stands for an item of that document.
func standsIn(doc memfile.Document, q store.Waiting) string {
	stood := stoodAbsent
	if i := find(&doc, q.Key); i >= 0 {
		stood = memfile.AllowDigest(doc.Items[i].Value)
	}
	if store.Tombstone(doc, q.Key) != nil {
		stood = stoodForgotten + " " + stood
	}
	return stood
}

// stood notes in what is about to wait how its key stands. A file that cannot be read
// now says nothing of it.
func stood(ctx context.Context, st *store.Store, q store.Waiting) store.Waiting {
	if q.Origin != Automatic { // the rules let nothing automatic overwrite what was said
		q.Was, _ = stands(ctx, st, q)
	}
	return q
}

// overtaken reports whether the key has another value since the write was said, or was
// forgotten. One that has the write's own value was not.
func overtaken(ctx context.Context, st *store.Store, q store.Waiting) (bool, error) {
	if q.Was == "" {
		return false, nil
	}
	now, err := stands(ctx, st, q)
	return err == nil && overtakenBy(now, q), err
}

// overtakenBy is overtaken, by how the key stands now.
func overtakenBy(now string, q store.Waiting) bool {
	return q.Was != "" && now != q.Was && (q.Entry != nil && now == stoodForgotten || q.Entry == nil && now != memfile.AllowDigest(q.Value))
}

// latest is the write as it waits now, and whether it does: what came in before it may
// have moved what it was said of.
func latest(st *store.Store, q store.Waiting) (store.Waiting, bool) {
	list, err := st.Queue()
	if err != nil {
		return q, true // taking it off the queue will tell
	}
	i := slices.IndexFunc(list, func(w store.Waiting) bool { return w.ID == q.ID })
	if i < 0 {
		return q, false
	}
	return list[i], true
}
