package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// together is one write of several that waited: the memory is read once, and they come
// in with one commit, each as a part of its own. One that is held, or refused, leaves
// the others alone.
type together struct {
	*bringer
	list  []store.Waiting
	fates []fate
	parts []store.Part
	files *changedFiles
	again []string               // the ids of entries that were remembered already
	facts map[string]store.Entry // by what they say
}

// together brings the writes in at once, and says what became of each. After an error
// nothing of them is in.
func (b *bringer) together(list []store.Waiting) ([]fate, error) {
	t := &together{bringer: b, list: list}
	w := store.Write{
		Act: "add", Wait: waitAutomatic, Create: createsFile(b.st.Scope), Said: list[0].Since,
		Change: t.change, Files: t.changes, Named: t.named, Parts: func() []store.Part { return t.parts },
	}
	for _, q := range list {
		if q.Origin == Automatic {
			w.Automatic = true
		}
		if q.Origin == Explicit {
			w.Wait = waitExplicit
		}
		w.Origin = weightier(w.Origin, q.Origin)
	}
	ctx := context.WithValue(b.ctx, replaying{}, w.Said)
	if slices.ContainsFunc(list, func(q store.Waiting) bool { return q.Entry != nil && q.Origin == Explicit }) {
		compactedByItself(ctx, b.ss, b.st, Options{Origin: Origin{Kind: Explicit}})
	}
	if _, err := b.st.Update(ctx, w); err != nil {
		return nil, err
	}
	return t.fates, b.st.NoteUses(ctx, t.again, waitAutomatic)
}

// weightier is the origin of both that fewer may take back.
func weightier(a, b string) string {
	if a == "" || a == Automatic || a == Relayed && b != Automatic {
		return b
	}
	return a
}

// change rules on each of the writes, as the ones before it left the memory.
func (t *together) change(doc *memfile.Document) error {
	t.fates, t.parts, t.again, t.facts = nil, nil, nil, nil
	t.files = &changedFiles{st: t.st, by: map[string]*store.FileChange{}}
	queue, err := t.st.Queue()
	if err != nil {
		return err
	}
	waits := map[string]store.Waiting{}
	for _, q := range queue {
		waits[q.ID] = q
	}
	for i := range t.list {
		q, ok := waits[t.list[i].ID]
		if !ok {
			continue // somebody reviewed it
		}
		for _, f := range t.fates {
			if !f.older && f.verdict == policy.Accept.String() && q.SaidBeside(f.q) {
				q.Was = f.stands
			}
		}
		if err := errors.Join(t.ctx.Err(), t.rule(doc, q)); err != nil {
			return err
		}
	}
	return nil
}

// rule rules on one write.
func (t *together) rule(doc *memfile.Document, q store.Waiting) error {
	f := fate{q: q, key: q.Key, verdict: policy.Accept.String()}
	part := store.Part{Act: "add", Keys: []string{q.Key}, Origin: q.Origin, Message: q.Message, Said: q.Since}
	var err error
	if q.Entry == nil {
		err = t.item(doc, &f, &part)
	} else {
		err = t.entry(doc, &f, &part)
	}
	var held *heldError
	var refused *refusal
	switch {
	case errors.As(err, &held):
		f.verdict, f.rules = policy.Hold.String(), ruleNames(findings(held.findings))
	case errors.As(err, &refused):
		f.verdict, f.rules = policy.Refuse.String(), ruleNames(refused.findings)
	case err != nil:
		return err
	}
	if f.changed {
		t.parts = append(t.parts, part)
	}
	t.fates = append(t.fates, f)
	return nil
}

// item brings an item into the document.
func (t *together) item(doc *memfile.Document, f *fate, part *store.Part) error {
	if f.stands = standsIn(*doc, f.q); overtakenBy(f.stands, f.q) {
		f.older = !t.cameIn(&f.q)
		return nil
	}
	a, err := itemRequest(t.st, f.q).adding(t.ctx, t.ss)
	if err != nil {
		return err
	}
	before, items := about(doc, a.Key), doc.Items
	if len(before.Items) > 1 { // they are made one before it is ruled on
		items = slices.Clone(items)
	}
	if err := a.change(doc); err != nil {
		if len(before.Items) > 1 {
			doc.Items = items
		}
		return err
	}
	f.stands = standsIn(*doc, f.q)
	part.Source = a.source()
	f.changed, err = told(part, before, about(doc, a.Key))
	return err
}

// entry lifts what is in the way of an entry, and makes its file.
func (t *together) entry(doc *memfile.Document, f *fate, part *store.Part) error {
	now, err := stands(t.ctx, t.st, f.q)
	if overtakenBy(now, f.q) || err != nil {
		f.older, f.stands = err == nil && !t.cameIn(&f.q), now
		return err
	}
	req, err := queuedEntry(t.st, f.q)
	if err != nil {
		return err
	}
	r, err := req.remembering(t.ctx, t.ss)
	if err == nil {
		r.files = t.files
		err = r.policy()
	}
	if err != nil {
		return err
	}
	deletions := doc.Deletions
	if err := r.change(doc); err != nil {
		return err
	}
	c, err := t.file(r)
	if err != nil {
		doc.Deletions = deletions
		return err
	}
	f.key, f.stands = shortID(r.e.ID), stoodAbsent
	part.Act, part.Keys, part.Source = r.act(), []string{r.e.ID}, r.e.Source
	if len(doc.Deletions) != len(deletions) {
		if f.changed, err = told(part, memfile.Document{Deletions: deletions}, memfile.Document{Deletions: doc.Deletions}); err != nil {
			return err
		}
	}
	if !bytes.Equal(c.Before, c.After) {
		f.changed, part.Files = true, []store.FileChange{c}
	} else if r.known {
		t.again = append(t.again, r.e.ID)
	}
	return nil
}

// file puts the entry's file among those that the act changes.
func (t *together) file(r *remembering) (c store.FileChange, err error) {
	if t.facts == nil {
		facts, err := (&remembering{ctx: t.ctx, st: t.st, e: entry.Entry{Role: entry.RoleFact}}).facts()
		if err != nil {
			return c, err
		}
		t.facts = map[string]store.Entry{}
		for _, e := range slices.Backward(facts) { // the first of the same text counts
			t.facts[factText(e.Entry)] = e
		}
	}
	if c.Path, c.Before, err = r.place(func(e entry.Entry) (store.Entry, bool) {
		there, ok := t.facts[factText(e)]
		return there, ok
	}); err != nil {
		return c, err
	}
	if c.After, err = r.print(c.Path, c.Before); err != nil {
		return c, err
	}
	if _, ok := t.facts[factText(r.e)]; !ok && r.e.Role == entry.RoleFact {
		t.facts[factText(r.e)] = store.Entry{Entry: r.e, Path: c.Path}
	}
	t.files.put(c)
	return c, nil
}

// factText is the same for facts that say the same.
func factText(e entry.Entry) string { return e.Conversation + "\x00" + entry.NormalText(e.Text) }

// changes are the files of the entries.
func (t *together) changes() ([]store.FileChange, error) {
	var list []store.FileChange
	for _, name := range t.files.order {
		list = append(list, *t.files.by[name])
	}
	return list, nil
}

// named are the keys and the subject of the commit.
func (t *together) named() (keys []string, subject string) {
	for _, p := range t.parts {
		keys = append(keys, p.Keys...)
	}
	switch {
	case len(t.parts) > 1:
		return keys, fmt.Sprintf("commit what waited (%d)", len(t.parts))
	case len(t.parts) == 1 && t.parts[0].Files != nil:
		return keys, t.parts[0].Act + " " + shortID(keys[0])
	}
	return keys, ""
}

// changedFiles are the files of entries as the act has them so far.
type changedFiles struct {
	st    *store.Store
	by    map[string]*store.FileChange
	order []string
}

// EntryBytes are the file's bytes; nil without an error where it is not there.
func (c *changedFiles) EntryBytes(name string) ([]byte, error) {
	if made := c.by[name]; made != nil {
		return made.After, nil
	}
	return c.st.EntryBytes(name)
}

func (c *changedFiles) put(change store.FileChange) {
	if made := c.by[change.Path]; made != nil {
		made.After = change.After
		return
	}
	c.by[change.Path], c.order = &change, append(c.order, change.Path)
}

// about is the part of the document that an act on the key changes.
func about(doc *memfile.Document, key string) (part memfile.Document) {
	for _, it := range doc.Items {
		if it.Key == key {
			part.Items = append(part.Items, it)
		}
	}
	for _, d := range doc.Deletions {
		if store.Buries(d, key) {
			part.Deletions = append(part.Deletions, d)
		}
	}
	return part
}

// told notes in the part what changed between the two, and whether anything did.
func told(part *store.Part, before, after memfile.Document) (changed bool, err error) {
	deltas := memfile.Diff(before, after)
	if len(deltas) == 0 {
		return false, nil
	}
	was, is := store.NoDocument(), store.NoDocument()
	for _, d := range deltas {
		if d.Before != nil {
			was.Items, part.Allowed = append(was.Items, *d.Before), d.Before.Allow
		}
		if d.After != nil {
			is.Items = append(is.Items, *d.After)
		}
		if d.TombBefore != nil {
			was.Deletions = append(was.Deletions, *d.TombBefore)
		}
		if d.TombAfter != nil {
			is.Deletions = append(is.Deletions, *d.TombAfter)
		}
	}
	if part.Before, err = memfile.New(was); err == nil {
		part.After, err = memfile.New(is)
	}
	return true, err
}
