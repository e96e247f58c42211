package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// actRename is the act whose commit names two keys in its trailers: the old one, then the
// new one. Log and Why follow it.
const actRename = "rename"

// RenameRequest gives the item of Key the key New. Lift removes the tombstone of a new key
// that was forgotten.
type RenameRequest struct {
	Options
	Key, New string
	Lift     bool
}

// Rename gives an item another key in the same scope and keeps everything else of it. The
// old key gets no tombstone. Only a person may rename.
func Rename(ctx context.Context, ss *store.Stores, req RenameRequest) (Write, error) {
	w := req.answer(actRename, req.Key, req.Scope)
	if !req.explicit() {
		return w.refused(refuse(ruleExplicitOnly, "only a person renames an item", "memctl rename "+policy.Inert(redacted(req.Key))+" "+policy.Inert(redacted(req.New))))
	}
	st, key, err := locate(ctx, ss, req.Key, req.Scope)
	if err != nil {
		return w.refused(err)
	}
	w.Scope, w.Key = st.Scope, policy.Inert(redacted(key))
	to, _ := memfile.NormalKey(req.New)
	if err := req.fits(st, key, to); err != nil {
		return w.refused(err)
	}
	if to == key {
		w.Why = txn.WhyUnchanged
		return w, nil
	}
	out, err := update(ctx, st, txn.Write{
		Act: actRename, Keys: []string{redacted(key), redacted(to)}, Subject: "rename " + redacted(key) + " to " + redacted(to), Message: req.Message, Origin: req.Origin.Kind, Wait: req.wait(), DryRun: req.DryRun,
		Change: func(doc *memfile.Document) error { return req.change(ss, st, doc, key, to) },
	})
	if err != nil {
		return w.refused(err)
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = "Renamed " + w.Key + " to " + policy.Inert(redacted(to)) + takeBack(out, "rename "+policy.Inert(redacted(to)), w.Key)
	}
	return w, nil
}

// fits refuses a new key that no item of the scope may have.
func (req RenameRequest) fits(st *store.Store, key, to string) error {
	if r := st.Rule(policy.Candidate{Key: req.New, Raw: true}); r.Verdict == policy.Refuse {
		return &refusal{findings: findings(r.Findings)}
	}
	if !memfile.KeyForm(to) {
		return refuse(ruleKeyForm, "a key has two or more lower-case parts with dots between, as in writing.tone")
	}
	if st.Scope == store.Project && strings.HasPrefix(to, userPrefix) {
		return refuse(ruleScope, "what is about the person never goes to the project's memory", "memctl move "+policy.Inert(redacted(key))+" --to user")
	}
	return nil
}

func (req RenameRequest) change(ss *store.Stores, st *store.Store, doc *memfile.Document, key, to string) error {
	i := mergeDuplicates(doc, key)
	if i < 0 {
		return refuse(ruleNotFound, "no item has this key")
	}
	shown := policy.Inert(redacted(to))
	if find(doc, to) >= 0 {
		return refuse(ruleAmbiguous, quoted(shown)+" exists in scope "+st.Scope, "memctl show "+shown)
	}
	if contents.Tombstone(*doc, to) != nil {
		if !req.Lift {
			return refuse(ruleForgotten, quoted(shown)+" was forgotten; --lift removes its tombstone", "memctl rename "+policy.Inert(redacted(key))+" "+shown+" --lift")
		}
		liftTombstone(doc, to)
	}
	it := doc.Items[i]
	it.Key = to
	if err := ruleOn(ss, it, st.Scope); err != nil {
		return err
	}
	doc.Items = slices.Clone(doc.Items)
	doc.Items[i] = it
	return nil
}

// oldKey is the key that the item had before the commit, where the commit's trailers say
// that it renamed the item to key; otherwise key.
func oldKey(v contents.Version, key string) string {
	var keys []string
	renames := false
	for _, t := range append(slices.Clone(v.Trailers), object.Trailer{Name: "memory-act"}) {
		switch name := strings.ToLower(t.Name); name {
		case "memory-key":
			keys = append(keys, t.Value)
		case "memory-act":
			if renames && len(keys) == 2 && (keys[1] == key || keys[1] == normalKey(key)) {
				return keys[0]
			}
			renames, keys = t.Value == actRename, nil
		}
	}
	return key
}
