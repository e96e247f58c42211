package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// ChangeEntry is the kind of a change of a fact, note, summary or turn.
const ChangeEntry = "entry"

// historian turns versions into changes, and keeps back what must not be
// shown: values that the policy refuses, and what is forgotten now.
type historian struct {
	store     *store.Store
	forgotten map[string]bool
	rulings   map[string]policy.Ruling
	texts     *contents.Forgotten
	said      map[string]bool // the canonical values that agents receive now
	view      *contents.View
}

func newHistorian(ctx context.Context, ss *store.Stores, st *store.Store) (*historian, error) {
	v := contents.NewView(ctx, ss, contents.Person)
	m, err := v.Memory(st.Scope)
	if err != nil {
		return nil, err
	}
	h := &historian{store: st, forgotten: map[string]bool{}, rulings: map[string]policy.Ruling{}, said: map[string]bool{}, view: v}
	if h.texts, err = contents.ReadForgotten(ctx, st); err != nil {
		return nil, err
	}
	for _, it := range m.Items {
		if !it.Hidden() {
			h.said[it.Value.Canonical()] = true
		}
	}
	tombs, err := m.Tombstones(ctx)
	for _, t := range tombs {
		h.forgotten[t.Key] = t.Key != ""
	}
	return h, err
}

// changes are what a commit or an entry of the journal changed, of one key or id where it is named.
func (h *historian) changes(ctx context.Context, s contents.Version, key string) ([]Change, error) {
	acts := actsOf(s)
	var entries []Change
	moved := map[string]bool{} // to the deleted ones, or back: told under the other path
	for _, f := range s.Files {
		moved[f.Path] = true
	}
	for _, f := range s.Files {
		place, _ := entry.ParsePath(f.Path)
		switch named := key != "" && memory.MatchesID(place.ID, key); {
		case !named && (key != "" || place.Tier == entry.Turn) || place.Deleted && moved[entry.LivePath(f.Path)]:
			continue
		case place.Deleted && f.Before == "":
			f.Before, f.After = f.After, "" // the journal does not tell what went
		}
		was, is, err := contents.FileSides(ctx, h.store, f)
		if err != nil {
			return nil, err
		}
		c := h.entryChange(f.Path, was, is)
		h.stamp(&c, s, acts.actOnKey(place.ID))
		entries = append(entries, c)
	}
	items := h.describe(s.Deltas(), key, entries)
	for i := range items {
		h.stamp(&items[i], s, acts.actOnKey(items[i].Key))
	}
	return slices.Concat(items, entries, h.dropped(ctx, s, key)), s.Err()
}

// dropped are the writes that an entry of the journal keeps since they were dropped from the queue.
func (h *historian) dropped(ctx context.Context, s contents.Version, key string) (list []Change) {
	if s.Entry == nil {
		return nil
	}
	for _, q := range ledger.DroppedIn(ctx, h.store, *s.Entry) {
		c := h.begin(memfile.DeltaItem, q.Key, true, false)
		if key == "" || c.Key == memory.NormalKey(key) {
			c.Before = c.side(q.Value, h.store.Rule(policy.Candidate{Key: q.Key, Value: q.Value, Raw: true}), h.forgottenValue(q.Key, q.Value))
			h.stamp(&c, s, commitAct{name: "dropped before it was stored"})
			list = append(list, c)
		}
	}
	return list
}

// describe tells differences of the memory file, those of one key where it is named. A tombstone that came or went with its
// item, or with one of the entries, is the same change, told once.
func (h *historian) describe(deltas []memfile.Delta, key string, entries []Change) (list []Change) {
	for _, d := range deltas {
		shown := policy.Inert(memory.Redacted(d.Key))
		if key != "" && shown != key && shown != memory.NormalKey(key) {
			continue
		}
		t := cmp.Or(d.TombAfter, d.TombBefore)
		if i := slices.IndexFunc(list, func(c Change) bool { return c.Kind == memfile.DeltaItem && c.Key == shown }); i >= 0 && t != nil {
			list[i].forgottenBy(d.TombAfter)
			continue
		}
		if t != nil && (t.OfEntry() && len(entries) > 0 || t.FormerKey() != "") {
			for i := range entries {
				entries[i].forgottenBy(d.TombAfter)
			}
			continue
		}
		list = append(list, h.change(d))
	}
	return list
}

// forgottenBy notes the tombstone that came with the change, nil for one that went.
func (c *Change) forgottenBy(t *memfile.Tombstone) {
	c.tomb = c.tomb || c.Change != "changed"
	if t != nil && c.Change == "removed" {
		c.Source = policy.Inert(memory.Redacted(t.Reason))
		if c.Act == "removed" {
			c.Act = "forgotten"
		}
	}
}

// change is one difference as the doors print it.
func (h *historian) change(d memfile.Delta) Change {
	setting := d.Kind == memfile.DeltaSetting
	c := h.begin(d.Kind, d.ShownKey(), setting || d.Before != nil || d.TombBefore != nil, setting || d.After != nil || d.TombAfter != nil)
	switch d.Kind {
	case memfile.DeltaSetting:
		c.Before, c.After = &memfile.Value{Kind: memfile.Bool, Text: d.SettingBefore}, &memfile.Value{Kind: memfile.Bool, Text: d.SettingAfter}
	case memfile.DeltaTombstone:
		c.tomb, c.Act = true, "brought back"
		c.held = contents.Verdict{Withheld: h.store.Rule(policy.Candidate{Key: d.Key, Raw: true}).Rules()}
		if d.TombAfter != nil {
			c.Act, c.Source = "forgotten", policy.Inert(memory.Redacted(d.TombAfter.Reason))
		}
	default:
		c.Before, c.After = h.value(&c, d.Before), h.value(&c, d.After)
		c.Fields = h.fieldChanges(d.Before, d.After)
	}
	return c
}

// begin is a change of something that was there before, or is there after it.
func (h *historian) begin(kind, key string, before, after bool) Change {
	c := Change{Kind: kind, Key: policy.Inert(memory.Redacted(key)), Scope: h.store.Scope, Change: "changed"}
	if !before {
		c.Change = "added"
	} else if !after {
		c.Change = "removed"
	}
	c.Act = c.Change
	return c
}

// side is one side of a change where it may be shown, and nil where the policy refuses it. The
// change takes over why it is withheld.
func (c *Change) side(v memfile.Value, r policy.Ruling, gone bool) *memfile.Value {
	refused := contents.Refused(r)
	if c.Verdict = c.And(refused); refused.Hidden() {
		return nil
	}
	c.held = c.held.And(contents.Held(r))
	if gone {
		c.held = c.held.And(contents.Verdict{Withheld: []string{memory.RuleForgotten}})
	}
	return &v
}

// value is an item's value; the change gets its source, too.
func (h *historian) value(c *Change, it *memfile.Item) *memfile.Value {
	if it == nil {
		return nil
	}
	c.Source = policy.Inert(memory.Redacted(it.Source))
	bound, _ := h.view.BindsItem(h.store.Scope, *it)
	gone := h.forgotten[it.Key] || h.forgottenValue(it.Key, it.Value) || !h.said[it.Value.Canonical()] && bound ||
		slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return h.forgottenValue(it.Key, r.Value) })
	return c.side(it.Value, h.ruling(*it), gone)
}

// forgottenValue reports whether a value was forgotten, and agents do not receive it all the same,
// as one that a person said again.
func (h *historian) forgottenValue(key string, v memfile.Value) bool {
	return h.texts.HasValue(key, v) && !h.said[v.Canonical()]
}

func (h *historian) ruling(it memfile.Item) policy.Ruling {
	id := it.Key + "\x00" + it.Value.Canonical() + "\x00" + it.Source
	r, known := h.rulings[id]
	if !known {
		r = h.store.Rule(policy.FromItem(it, h.store.Scope))
		h.rulings[id] = r
	}
	return r
}

// fieldChanges names what else differs between two versions of an item.
func (h *historian) fieldChanges(before, after *memfile.Item) []FieldChange {
	if before == nil || after == nil {
		return nil
	}
	was, is := before.Formed(), after.Formed()
	var list []FieldChange
	add := func(name, a, b string) {
		if a != b {
			list = append(list, FieldChange{Name: name, Before: policy.Inert(memory.Redacted(a)), After: policy.Inert(memory.Redacted(b))})
		}
	}
	was.Seen, is.Seen = "", "" // the signals tell
	now := is.Labels.Fields()
	for i, l := range was.Labels.Fields() {
		add(l.Name, l.Text(), now[i].Text())
	}
	add("conflict", h.rivals(&was), h.rivals(&is))
	return list
}

// rivals are the values that an item's own is in conflict with, where they may be
// shown.
func (h *historian) rivals(it *memfile.Item) string {
	var list []string
	for _, r := range it.Conflict {
		rival := *it
		rival.Value, rival.Source, rival.Conflict = r.Value, r.Source, nil
		list = append(list, memory.ShownText(contents.Refused(h.ruling(rival)), r.Value.Plain()))
	}
	return strings.Join(list, "; ")
}

// entryChange is one commit's change of an entry's file as the doors print it.
func (h *historian) entryChange(at string, was, is []byte) Change {
	place, _ := entry.ParsePath(at)
	c := h.begin(ChangeEntry, memory.ShortID(place.ID), was != nil, is != nil)
	before, after := entry.ParseOrNil(at, was), entry.ParseOrNil(at, is)
	own := after != nil && after.By == "" // a person made it theirs
	side := func(e *entry.Entry) *memfile.Value {
		if e == nil {
			return nil
		}
		c.Key, c.Source = e.Tier()+" "+memory.ShortID(e.ID), policy.Inert(memory.Redacted(e.Source))
		bound, _ := h.view.BindsEntry(h.store.Scope, *e)
		text := memfile.Str(memory.OneLine(memfile.Str(e.Text)))
		return c.side(text, contents.RuleEntryAt(h.store, at, *e), h.texts.BindsEntry(*e) || !own && bound)
	}
	c.Before, c.After = side(before), side(after)
	return c
}

// actBoundary is the act of a change in the commit where a shallow
// clone was cut off: it was made there or before, nobody here knows by whom.
const actBoundary = "before the shallow boundary"

// stamp fills in who made the change, when, and by which act.
func (h *historian) stamp(c *Change, v contents.Version, act commitAct) {
	c.Commit, c.Author, c.Date = v.Commit, policy.Inert(v.Author), v.Date.UTC().Format(time.RFC3339)
	if len(v.Parents) == 0 && h.store.Repo.ShallowAt(v.Commit) {
		c.Act, c.Author = actBoundary, ""
	} else if act.name != "" {
		c.Act = policy.Inert(act.name)
		if c.Kind == memfile.DeltaItem && c.After != nil {
			c.Source = policy.Inert(memory.Redacted(act.source)) // the act's, not the item's
		}
	}
}

// commitAct is one act that a commit's trailers name.
type commitAct struct {
	name, source string
	keys         []string
}

// commitActs are the acts of one commit: several where it took in pending writes.
type commitActs []commitAct

// actsOf reads the trailers: each act's begin with its Memory-Act.
func actsOf(v contents.Version) (acts commitActs) {
	for _, t := range v.Trailers {
		n := len(acts) - 1
		switch name := strings.ToLower(t.Name); {
		case name == "memory-act":
			acts = append(acts, commitAct{name: t.Value})
		case name == "memory-key" && n >= 0:
			acts[n].keys = append(acts[n].keys, t.Value)
		case name == "memory-source" && n >= 0:
			acts[n].source = t.Value
		}
	}
	return acts
}

// actOnKey is the last act that names the key; the first one, without its source, where none does.
func (acts commitActs) actOnKey(key string) commitAct {
	for _, act := range slices.Backward(acts) {
		if len(acts) == 1 || slices.ContainsFunc(act.keys, func(k string) bool { return policy.Inert(memory.Redacted(k)) == key }) {
			return act
		}
	}
	if len(acts) == 0 {
		return commitAct{}
	}
	return commitAct{name: acts[0].name}
}

// oldKey is the key that the item had before the commit, where the commit's trailers say
// that it renamed the item to key; otherwise key.
func oldKey(v contents.Version, key string) string {
	for _, act := range actsOf(v) {
		if k := act.keys; act.name == ActRename && len(k) == 2 && (k[1] == key || k[1] == memory.NormalKey(key)) {
			return k[0]
		}
	}
	return key
}
