package memory

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// Restore brings one item back as it was in a revision, or as it last stood
// before it was forgotten or changed. It lifts the key's tombstone; a person
// alone does that.
func Restore(ctx context.Context, ss *store.Stores, req RestoreRequest) (Write, error) {
	w := req.answer("restore", req.Key, req.Scope)
	if !req.explicit() {
		return w.refused(refuse(ruleExplicitOnly, "only a person brings an item back", "memctl restore "+policy.Inert(redacted(req.Key))))
	}
	ctx, w.Notes = req.bringIn(ctx, ss)
	stores, err := historyStores(ctx, ss, req.Scope)
	if err != nil {
		return w, err
	}
	if back, err := findLost(ctx, stores, req.Key, req.Journal); back != nil || err != nil {
		return back.restore(ctx, ss, req, w, err)
	}
	if req.Journal {
		back, err := findLostText(ctx, stores, req.Key)
		var ambiguous *refusal
		if errors.As(err, &ambiguous) {
			return w.refused(ambiguous)
		}
		if back != nil || err != nil {
			return back.restore(ctx, ss, req, w, err)
		}
	}
	var st *store.Store
	var was *memfile.Item
	for _, candidate := range stores {
		it, err := earlier(ctx, candidate, req)
		if err != nil {
			return w, err
		}
		if it != nil {
			st, was = candidate, it
			break
		}
	}
	if was == nil {
		return w.refused(notInGit(ctx, stores, req))
	}
	w.Scope, w.Key = st.Scope, policy.Inert(redacted(was.Key))
	out, err := update(ctx, ss, st, store.Write{
		Act: "restore", Keys: []string{redacted(was.Key)}, Message: req.Message, Wait: req.wait(), DryRun: req.DryRun, Decides: true,
		Create: createsFile(st.Scope),
		Change: func(doc *memfile.Document) error {
			if err := notPurged(was.Value); err != nil {
				return err
			}
			if err := ruleOn(ss, *was, st.Scope); err != nil {
				return err
			}
			liftTombstone(doc, was.Key)
			if was.By != "" { // an agent's item is withheld while a tombstone has its text
				if err := st.LiftText(doc, was.Value.Plain()); err != nil {
					return err
				}
			}
			put(doc, *was)
			return nil
		},
	})
	if err != nil {
		return w.refused(err)
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = "Restored " + w.Key + " = " + oneLine(was.Value) + takeBack(out, "", w.Key)
	}
	return w, nil
}

// notInGit is the refusal where no commit has what is asked for; it looks
// whether the journal has it.
func notInGit(ctx context.Context, stores []*store.Store, req RestoreRequest) error {
	if req.Journal {
		return refuse(ruleNotFound, "no earlier version of this key is in the journal", "memctl log --all")
	}
	if req.Rev != "" {
		return refuse(ruleNotFound, "no item of this key is in that revision", "memctl log "+policy.Inert(redacted(req.Key)))
	}
	req.Journal = true
	back, err := findLost(ctx, stores, req.Key, true)
	has := back != nil
	if lost, textErr := findLostText(ctx, stores, req.Key); lost != nil && textErr == nil {
		id, _ := entry.ParsePath(lost.path)
		return refuse(ruleNotFound, "no earlier version of this is in git, but the journal has it", "memctl restore "+shortID(id.ID)+" --from journal")
	}
	for _, st := range stores {
		if has || err != nil {
			break
		}
		var it *memfile.Item
		it, err = earlier(ctx, st, req)
		has = it != nil
	}
	if err != nil {
		return err
	}
	if !has {
		return refuse(ruleNotFound, "no earlier version of this key is in git or in the journal", "memctl log --all")
	}
	return refuse(ruleNotFound, "no earlier version of this key is in git, but the journal has one", "memctl restore "+policy.Inert(redacted(req.Key))+" --from journal")
}

// put sets the item of the key, where it stands or as a new one.
func put(doc *memfile.Document, it memfile.Item) {
	it.Line, it.Column = 0, 0
	if i := settle(doc, it.Key); i >= 0 {
		it.Line, it.Column = doc.Items[i].Line, doc.Items[i].Column
		doc.Items[i] = it
		return
	}
	doc.Items = append(doc.Items, it)
}

// earlier is the item as of the revision; without one, the newest version of
// it in history that is not how it stands now, nor purged where there is one that was not.
func earlier(ctx context.Context, st *store.Store, req RestoreRequest) (*memfile.Item, error) {
	keys := slices.Compact([]string{req.Key, normalKey(req.Key)})
	pick := func(doc memfile.Document) *memfile.Item {
		for _, key := range keys {
			if i := settle(&doc, key); i >= 0 {
				return &doc.Items[i]
			}
		}
		return nil
	}
	if req.Rev != "" {
		doc, _, err := st.DocumentAt(ctx, req.Rev)
		return pick(doc), err
	}
	now, err := st.Document(ctx)
	if err != nil {
		return nil, err
	}
	current := pick(now)
	var found, hole *memfile.Item // hole: its value was purged
	history := st.History
	if req.Journal {
		history = func(ctx context.Context, fn func(store.Version) bool) error {
			return st.JournalHistory(ctx, func(v store.Version, _ []gitops.ChangedFile, _ string) bool { return fn(v) })
		}
	}
	err = history(ctx, func(v store.Version) bool {
		for _, doc := range []memfile.Document{v.After(), v.Before()} {
			if it := pick(doc); it != nil && (current == nil || !reflect.DeepEqual(it.Value, current.Value)) {
				if notPurged(it.Value) != nil {
					hole = cmp.Or(hole, it)
					continue
				}
				found = it
				return false
			}
		}
		return true
	})
	var none *store.NoHistoryError
	if errors.As(err, &none) {
		return nil, nil
	}
	return cmp.Or(found, hole), err
}
