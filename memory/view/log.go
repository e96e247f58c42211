package view

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// Log is the history of all items and entries, or of one, newest first.
func Log(ctx context.Context, ss *store.Stores, req LogRequest) (LogResult, error) {
	res := LogResult{Schema: memory.SchemaNumber, Changes: []Change{}}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		h, err := newHistorian(ctx, ss, st)
		if err != nil {
			return res, err
		}
		changes, err := h.log(ctx, req)
		if err != nil {
			return res, err
		}
		if req.Key != "" && len(changes) == 0 {
			if changes, err = h.entryLog(ctx, req.Key); err != nil {
				return res, err
			}
		}
		res.Changes = append(res.Changes, changes...)
	}
	slices.SortStableFunc(res.Changes, func(a, b Change) int { return strings.Compare(b.Date, a.Date) })
	if req.Max > 0 {
		res.Changes = newestActs(res.Changes, req.Max)
	}
	if req.Key != "" && len(res.Changes) == 0 {
		e := &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(req.Key) + ": no commit changed an item of this key", Why: "log"}
		if !req.All { // else other branches and the journal were looked at
			e.Names = []string{policy.Inert(memory.Redacted(req.Key))}
		}
		return res, e
	}
	return res, nil
}

// historian turns versions into changes, and keeps back what must not be
// shown: values that the policy refuses, and what is forgotten now.
type historian struct {
	store     *store.Store
	forgotten map[string]bool
	rulings   map[string]policy.Ruling
	texts     *contents.Forgotten
	said      map[string]bool // the canonical values that stand, for agents too
	view      *contents.View
}

func newHistorian(ctx context.Context, ss *store.Stores, st *store.Store) (*historian, error) {
	v, err := contents.NewView(ctx, ss, false)
	if err != nil {
		return nil, err
	}
	m, err := v.Memory(st.Scope)
	if err != nil {
		return nil, err
	}
	h := &historian{store: st, forgotten: map[string]bool{}, rulings: map[string]policy.Ruling{}, said: map[string]bool{}, view: v}
	if h.texts, err = contents.ReadForgotten(ctx, st); err != nil {
		return nil, err
	}
	for _, it := range m.Items {
		if it.Out()&(contents.Withheld|contents.Outranked) == 0 {
			h.said[it.Value.Canonical()] = true
		}
	}
	tombs, err := m.Tombstones(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tombs {
		h.forgotten[t.Key] = t.Key != ""
	}
	return h, nil
}

// actBoundary is the act of a change that stands in the commit where a shallow
// clone was cut off: it was made there or before, nobody here knows by whom.
const actBoundary = "before the shallow boundary"

// changes lists what one commit changed, item by item; of one key where it is
// named.
func (h *historian) changes(v contents.Version, key string) []Change {
	list := h.describe(v.Deltas(), key)
	acts := actsOf(v)
	boundary := len(v.Parents) == 0 && contents.CutOff(h.store, v.Commit)
	for i := range list {
		c := &list[i]
		c.Commit, c.Author, c.Date = v.Commit, policy.Inert(v.Author), v.Date.UTC().Format(time.RFC3339)
		if boundary {
			c.Act, c.Author = actBoundary, ""
			continue
		}
		if act := acts.on(c.Key); act.act != "" {
			c.Act = policy.Inert(act.act)
			if c.Kind == memfile.DeltaItem && c.After != nil {
				c.Source = policy.Inert(memory.Redacted(act.source)) // the act's, not the item's
			}
		}
	}
	return list
}

// describe tells differences, those of one key where it is named. A tombstone
// that came or went with its item is the same change, told once.
func (h *historian) describe(deltas []memfile.Delta, key string) []Change {
	items := map[string]int{}
	var list []Change
	for _, d := range deltas {
		if shown := policy.Inert(memory.Redacted(d.Key)); key != "" && shown != key && shown != memory.NormalKey(key) {
			continue
		}
		if i, ok := items[d.Key]; ok && d.Kind == memfile.DeltaTombstone {
			list[i].tomb = true
			if d.TombAfter != nil && list[i].After == nil {
				list[i].Act, list[i].Source = "forgotten", policy.Inert(memory.Redacted(d.TombAfter.Reason))
			}
			continue
		}
		if d.Kind == memfile.DeltaItem {
			items[d.Key] = len(list)
		}
		list = append(list, h.change(d))
	}
	return list
}

// change is one difference as the doors print it.
func (h *historian) change(d memfile.Delta) Change {
	c := Change{Kind: d.Kind, Key: policy.Inert(memory.Redacted(d.Key)), Scope: h.store.Scope, Change: howChanged(d)}
	c.Act = c.Change
	switch {
	case d.Kind == memfile.DeltaSetting:
		c.Before, c.After = settingValue(d.SettingBefore), settingValue(d.SettingAfter)
	case d.Kind == memfile.DeltaTombstone:
		c.tomb = true
		c.held = contents.Verdict{Withheld: h.store.Rule(policy.Candidate{Key: d.Key, Raw: true}).Rules()}
		h.aboutEntry(&c, d)
		if d.TombAfter != nil {
			c.Act, c.Source = "forgotten", memory.Redacted(d.TombAfter.Reason)
		} else {
			c.Act = "brought back"
		}
	default:
		c.Before, c.Source = h.value(&c, d.Before, c.Source)
		c.After, c.Source = h.value(&c, d.After, c.Source)
		c.Fields = h.fieldChanges(d.Before, d.After)
	}
	return c
}

// aboutEntry fills in the text that a tombstone without a key is about: an
// entry's, which agents do not get again.
func (h *historian) aboutEntry(c *Change, d memfile.Delta) {
	if d.Key != "" {
		return
	}
	for _, side := range []struct {
		tomb  *memfile.Tombstone
		value **memfile.Value
	}{{d.TombBefore, &c.Before}, {d.TombAfter, &c.After}} {
		if side.tomb == nil || side.tomb.Value == nil {
			continue
		}
		c.held = c.held.And(forgotten)
		refused := contents.Refused(h.store.Rule(policy.Candidate{Value: *side.tomb.Value, Scope: h.store.Scope, Raw: true}))
		if c.Verdict = c.And(refused); !refused.Hidden() {
			text := memfile.Str(memory.OneLine(*side.tomb.Value))
			*side.value = &text
		}
	}
}

func howChanged(d memfile.Delta) string {
	switch {
	case d.Kind == memfile.DeltaSetting:
		return "changed"
	case d.Before == nil && d.TombBefore == nil:
		return "added"
	case d.After == nil && d.TombAfter == nil:
		return "removed"
	}
	return "changed"
}

func settingValue(text string) *memfile.Value {
	return &memfile.Value{Kind: memfile.Bool, Text: text}
}

// value is an item's value where it may be shown, and its source.
func (h *historian) value(c *Change, it *memfile.Item, source string) (*memfile.Value, string) {
	if it == nil {
		return nil, source
	}
	refused := contents.Refused(h.ruling(*it))
	if c.Verdict = c.And(refused); refused.Hidden() {
		return nil, policy.Inert(memory.Redacted(it.Source))
	}
	c.held = c.held.And(h.held(*it))
	return &it.Value, policy.Inert(it.Source)
}

// fieldChanges names what else differs between two versions of an item.
func (h *historian) fieldChanges(before, after *memfile.Item) []FieldChange {
	if before == nil || after == nil {
		return nil
	}
	was, is := before.Formed(), after.Formed()
	before, after = &was, &is
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
	add("conflict", h.rivals(before), h.rivals(after))
	return list
}

// rivals are the values that an item's own stands against, where they may be
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

// Diff lists the differences between two versions, item by item.
func Diff(ctx context.Context, ss *store.Stores, req DiffRequest) (DiffResult, error) {
	res := DiffResult{Schema: memory.SchemaNumber, From: req.From, To: req.To, Changes: []Change{}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	if st.Repo == nil {
		return res, memory.NoHistory(ss, st)
	}
	if res.From == "" {
		res.From = "HEAD"
	}
	before, err := documentAt(ctx, st, res.From, req.From == "")
	if err != nil {
		return res, err
	}
	after, err := documentAt(ctx, st, req.To, false)
	if err != nil {
		return res, err
	}
	h, err := newHistorian(ctx, ss, st)
	if err != nil {
		return res, err
	}
	res.Changes = append(res.Changes, h.describe(memfile.Diff(before, after), "")...)
	return res, nil
}

// documentAt is the memory in a revision; "" is the file on disk. Before the
// first commit HEAD has none, which is no error where it was not asked for.
func documentAt(ctx context.Context, st *store.Store, rev string, orNone bool) (memfile.Document, error) {
	if rev == "" {
		return contents.Document(ctx, st)
	}
	if orNone {
		if state, err := st.Repo.State(); err == nil && state.Unborn {
			return contents.NoDocument(), nil
		}
	}
	doc, ok, err := contents.DocumentAt(ctx, st, rev)
	if err != nil {
		return doc, err
	}
	if !ok {
		doc = contents.NoDocument()
	}
	return doc, nil
}
