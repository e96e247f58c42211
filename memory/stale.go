package memory

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Stale lists the entries with an anchor that does not hold: what stood there
// has changed, or is gone. One whose lines only moved holds.
func Stale(ctx context.Context, ss *store.Stores, scope string) (StaleResult, error) {
	res := StaleResult{Schema: SchemaNumber, Entries: []EntryView{}}
	sayAway(ctx, ss, scope)
	list, err := Entries(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, e := range list {
		if len(e.Anchors) == 0 || e.Scope == store.User {
			continue
		}
		res.Checked++
		v, stale := Anchored(ss, e)
		if stale {
			res.Entries = append(res.Entries, v)
		}
	}
	return res, nil
}

// Anchored is the entry's view with the state of its anchors, and whether any of
// them does not hold.
func Anchored(ss *store.Stores, e LiveEntry) (v EntryView, stale bool) {
	v = entryView(e)
	for i := range v.Anchors {
		a := &v.Anchors[i]
		a.State, a.Now = contents.AnchorState(ss, e.Anchors[i])
		stale = stale || a.State == contents.AnchorChanged || a.State == contents.AnchorGone
	}
	return v, stale
}

// stale reports whether agents have to be told that the entry may hold no more: a
// summary that lost lines, or an anchor that does not hold.
func stale(ss *store.Stores, e *contents.Entry) bool {
	return e.Stale || e.Scope != store.User && slices.ContainsFunc(e.Anchors, func(a entry.Anchor) bool {
		state, _ := contents.AnchorState(ss, a)
		return state == contents.AnchorChanged || state == contents.AnchorGone
	})
}

// listed is the entry's view in a list of its kind, marked where it is stale.
func listed(ss *store.Stores, e LiveEntry) EntryView {
	v := entryView(e)
	v.Stale = stale(ss, &e.Entry)
	return v
}

// Verify says that entries still hold: their anchors are about what stands there
// now, and a day of today says that they were looked at. One commit a scope.
func Verify(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error) {
	answers := make([]Write, len(req.Keys))
	for i, id := range req.Keys {
		w := req.answer("verify", shortID(id), req.Scope)
		st, e, err := oneEntry(ctx, ss, req.Scope, id)
		if err == nil {
			w.Scope, w.Key = st.Scope, shortID(e.ID)
			w, err = verify(ctx, ss, st, *e, req.Options, w)
		}
		if err != nil {
			if w, err = w.refused(err); err != nil {
				return answers[:i], err
			}
		}
		answers[i] = w
	}
	return answers, nil
}

// oneEntry is the entry that stands, of that id or its beginning.
func oneEntry(ctx context.Context, ss *store.Stores, scope, id string) (*store.Store, *LiveEntry, error) {
	list, err := Entries(ctx, ss, scope)
	if err != nil {
		return nil, nil, err
	}
	list = slices.DeleteFunc(list, func(e LiveEntry) bool { return !matchesID(e.ID, id) })
	switch len(list) {
	case 0:
		return nil, nil, refuse(ruleNotFound, "no fact or note has this id", "memctl facts")
	case 1:
		st, err := ss.Get(ctx, list[0].Scope)
		return st, &list[0], err
	}
	r := refuse(ruleAmbiguous, "several entries have an id that begins so")
	for _, e := range list[:min(len(list), 5)] {
		r.hints = append(r.hints, "--scope "+e.Scope+" "+policy.Inert(e.ID))
	}
	return nil, nil, r
}

func verify(ctx context.Context, ss *store.Stores, st *store.Store, e LiveEntry, o Options, w Write) (Write, error) {
	switch {
	case o.automatic():
		return w, refuse(ruleExplicitOnly, "an agent by itself does not say that a memory still holds", "memctl verify "+shortID(e.ID))
	case !o.explicit() && e.Locked:
		return w, refuse(ruleLocked, "the entry is locked: only a person changes it", "memctl verify "+shortID(e.ID))
	}
	now := e.Entry.Entry
	now.Anchors, now.Seen = nil, ss.Today()
	for _, a := range e.Anchors {
		at := a.Path
		if state, moved := contents.AnchorState(ss, a); state == contents.AnchorMoved {
			at = moved
		}
		fresh, err := contents.Anchor(ctx, ss, st, at)
		if err != nil {
			return w, refuse(ruleAnchor, err.Error(), "memctl forget "+shortID(e.ID))
		}
		now.Anchors = append(now.Anchors, fresh)
	}
	out, err := update(ctx, st, txn.Write{
		Act: "verify", Keys: []string{e.ID}, Subject: "verify " + e.Tier() + " " + shortID(e.ID), Message: o.Message, Origin: o.Origin.Kind, Wait: o.wait(), DryRun: o.DryRun,
		Files: func() ([]store.FileChange, error) {
			was, err := contents.EntryBytes(st, e.Path)
			if err != nil {
				return nil, err
			}
			f, problems := entry.Parse(e.Path, was)
			if f == nil {
				return nil, refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message)
			}
			after, err := f.Rewrite(now)
			return []store.FileChange{{Path: e.Path, Before: was, After: after}}, err
		},
	})
	if err != nil {
		return w, err
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = "Verified: " + shortID(e.ID) + " = " + oneLine(memfile.Str(e.Text)) + takeBack(out, "", w.Key)
	}
	return w, nil
}
