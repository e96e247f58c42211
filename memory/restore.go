package memory

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Restore brings one item back as it was in a revision, or as it last stood
// before it was forgotten or changed. It lifts the key's tombstone; a person
// alone does that.
func Restore(ctx context.Context, ss *store.Stores, req RestoreRequest) (Write, error) {
	w := req.answer("restore", req.Key, req.Scope)
	if !req.explicit() {
		return w.refused(refuse(ruleExplicitOnly, "only a person brings an item back", "memctl restore "+policy.Inert(redacted(req.Key))))
	}
	stores, err := historyStores(ctx, ss, req.Scope)
	if err != nil {
		return w, err
	}
	if back, err := findLost(ctx, stores, req.Key, req.Journal); back != nil || err != nil {
		return restoreEntry(ctx, back, req, w, err)
	}
	if req.Journal {
		if w, done, err := restoreText(ctx, ss, stores, req, w); done {
			return w, err
		}
	}
	var st *store.Store
	var was *memfile.Item
	for _, candidate := range stores {
		it, notes, err := earlier(ctx, candidate, req.Key, req.Rev, req.Journal)
		if err != nil {
			return w.refused(err)
		}
		w.Notes = append(w.Notes, notes...)
		if it != nil {
			st, was = candidate, it
			break
		}
	}
	if was == nil && !req.Journal && req.Rev == "" {
		if w, done, err := restoreText(ctx, ss, stores, req, w); done {
			return w, err
		}
	}
	if was == nil {
		return w.refused(notInGit(ctx, stores, req))
	}
	w.Scope, w.Key = st.Scope, policy.Inert(redacted(was.Key))
	out, err := update(ctx, st, txn.Write{
		Act: "restore", Keys: []string{redacted(was.Key)}, Message: req.Message, Wait: req.wait(), DryRun: req.DryRun,
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
				if err := contents.LiftText(st, doc, was.Value.Plain()); err != nil {
					return err
				}
			}
			back := *was
			back.By = ownWord(back.By, st.Scope)
			put(doc, back)
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
		for _, st := range stores {
			doc, err := contents.Document(ctx, st)
			if err == nil && (find(&doc, req.Key) >= 0 || find(&doc, normalKey(req.Key)) >= 0) {
				return refuse(ruleChanged, "it stands so already: the journal has no other value of this key", "memctl show "+policy.Inert(redacted(req.Key)))
			}
		}
		return refuse(ruleNotFound, "no earlier version of this key is in the journal", "memctl log --all")
	}
	if req.Rev != "" {
		return refuse(ruleNotFound, "no item of this key is in that revision", "memctl log "+policy.Inert(redacted(req.Key)))
	}
	back, err := findLost(ctx, stores, req.Key, true)
	has := back != nil
	if lost, textErr := findLostText(ctx, stores, req.Key, true); lost != nil && textErr == nil {
		id, _ := entry.ParsePath(lost.path)
		return refuse(ruleNotFound, "no earlier version of this is in git, but the journal has it", "memctl restore "+shortID(id.ID)+" --from journal")
	}
	for _, st := range stores {
		if has || err != nil {
			break
		}
		var it *memfile.Item
		it, _, err = earlier(ctx, st, req.Key, "", true)
		var several *refusal
		has = it != nil || errors.As(err, &several)
		if has {
			err = nil
		}
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
	if i := mergeDuplicates(doc, it.Key); i >= 0 {
		it.Line, it.Column = doc.Items[i].Line, doc.Items[i].Column
		doc.Items[i] = it
		return
	}
	doc.Items = append(doc.Items, it)
}

// earlier is the item as of the revision; without one, the newest version of
// it in history that is not how it stands now, nor purged where there is one that was
// not; from the journal with notes of what else that has. Errors: *refusal, where the
// journal has several and none of them is this branch's.
func earlier(ctx context.Context, st *store.Store, key, rev string, journal bool) (*memfile.Item, []string, error) {
	keys := slices.Compact([]string{key, normalKey(key)})
	pick := func(doc memfile.Document) *memfile.Item {
		for _, key := range keys {
			if i := mergeDuplicates(&doc, key); i >= 0 {
				return &doc.Items[i]
			}
		}
		return nil
	}
	if rev != "" {
		doc, _, err := contents.DocumentAt(ctx, st, rev)
		return pick(doc), nil, err
	}
	now, err := contents.Document(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	if journal {
		j := &journalled{st: st, keys: keys, pick: pick, now: now}
		return j.item(ctx)
	}
	found := picked{current: pick(now)}
	if aside := setAside(now, keys); found.current == nil && len(aside) > 0 {
		return asideItem(ctx, st, aside, pick)
	}
	err = contents.History(ctx, st, func(v contents.Version) bool {
		return !found.take(pick(v.After())) && !found.take(pick(v.Before()))
	})
	var none *contents.NoHistoryError
	if errors.As(err, &none) {
		return nil, nil, nil
	}
	return cmp.Or(found.item, found.hole), nil, err
}

// picked is the first item that is not how it stands now.
type picked struct{ current, item, hole *memfile.Item } // hole: its value was purged

// take looks at an item, and reports whether it is the one.
func (p *picked) take(it *memfile.Item) bool {
	switch {
	case it == nil || p.item != nil || p.current != nil && reflect.DeepEqual(it.Value, p.current.Value):
	case notPurged(it.Value) != nil:
		p.hole = cmp.Or(p.hole, it)
	default:
		p.item = it
	}
	return p.item != nil
}
