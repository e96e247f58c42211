package memory

import (
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// writeQueued writes what waited as it was proposed.
func writeQueued(ctx context.Context, ss *store.Stores, st *store.Store, q ledger.Waiting) (Write, error) {
	o := Options{Scope: st.Scope, Message: q.Message, Origin: Origin{Kind: q.Origin, Name: q.By}}
	if q.Entry == nil {
		return Add(ctx, ss, AddRequest{
			Options: o, Key: q.Key, Value: q.Value, Source: q.Source, Confidence: q.Confidence, Tags: q.Tags, Expires: q.Expires,
			Pin: q.Pinned, Paths: q.Paths, Commands: q.Commands, Ask: q.Ask, NoAsk: q.NoAsk, Repeated: q.Repeated, Seen: q.Seen, Waited: true,
		})
	}
	req, err := entryRequest(q, o)
	if err != nil {
		return Write{}, err
	}
	req.Confidence = q.Confidence
	return Remember(ctx, ss, req)
}

// How a key stood when a write of it was put into the queue, where it had no value.
const (
	stoodAbsent    = "absent"
	stoodForgotten = "forgotten"
)

// stands is how the key, or the entry's text, stands now, for comparison alone.
func stands(ctx context.Context, st *store.Store, q ledger.Waiting) (string, error) {
	if q.Entry != nil {
		f, _ := entry.Parse("", q.Entry)
		forgotten, err := contents.ReadForgotten(ctx, st)
		if err != nil || f == nil || !forgotten.Entry(f.Entry()) {
			return stoodAbsent, err
		}
		return stoodForgotten, nil
	}
	doc, err := contents.Document(ctx, st)
	if err != nil {
		return "", err
	}
	if !st.HasFile() { // a git may have taken it away for a moment
		if m, err := contents.Read(ctx, st); err != nil {
			return "", err
		} else if kept, err := m.Kept(ctx); err != nil {
			return "", err
		} else if kept != nil {
			doc = *kept
		}
	}
	stood := stoodAbsent
	if i := find(&doc, q.Key); i >= 0 {
		stood = memfile.AllowDigest(doc.Items[i].Value)
	}
	if contents.Tombstone(doc, q.Key) != nil {
		stood = stoodForgotten + " " + stood
	}
	return stood, nil
}

// stood notes in what is about to wait how its key stands. A file that cannot be read
// now says nothing of it.
func stood(ctx context.Context, st *store.Store, q ledger.Waiting) ledger.Waiting {
	if q.Origin != Automatic { // the rules let nothing automatic overwrite what was said
		q.Was, _ = stands(ctx, st, q)
	}
	return q
}

// overtaken reports whether the key stands otherwise than when the write was said: it has
// another value, or was forgotten. A key that has the write's own value was not overtaken.
func overtaken(now string, q ledger.Waiting) bool {
	return q.Was != "" && now != q.Was && (q.Entry != nil && now == stoodForgotten || q.Entry == nil && now != memfile.AllowDigest(q.Value))
}
