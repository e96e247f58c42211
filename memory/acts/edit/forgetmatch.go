package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// match is one record that a forget can mean: an item, a tombstone, or the first of the entries with one text.
type match struct {
	st    *store.Store
	key   string          // of an item or a tombstone
	entry *contents.Entry // nil for an item
	text  string          // in normal form
	shown string
	texts func() []string // what somebody wrote of it: its text, its key, its labels
	tomb  bool            // an earlier forget left it
}

// removal is a match that a forget is about.
type removal struct {
	match
	answer  int // index of its answer
	byValue bool
	value   memfile.Value // what was forgotten
	stated  bool          // a person had stated it
	done    bool          // it was there, and is removed
}

// name is the key of an item, or the beginning of an entry's id.
func (m match) name() string {
	if m.entry != nil {
		return memory.ShortID(m.entry.ID)
	}
	return memory.Redacted(m.key)
}

// line shows a match in a list.
func (m match) line() string { return m.st.Scope + ": " + policy.Inert(m.name()) + " = " + m.shown }

// saved names what was forgotten. Of an entry it shows the text too, if agents may see it.
func (m match) saved() string {
	switch {
	case m.tomb:
		return "what the tombstone of " + m.name() + " says"
	case m.entry == nil:
		return m.name()
	}
	return m.entry.Tier() + " " + m.name() + " = " + memory.ShownText(m.entry.Verdict, m.entry.Text)
}

// resolve finds the one item or entry that the text names.
func (req ForgetRequest) resolve(ctx context.Context, ss *store.Stores, text string) (removal, error) {
	named := func(st *store.Store, key string) removal { return removal{match: match{st: st, key: key}} }
	if !req.Explicit() { // an agent that means its own value must not take the person's
		if list, err := memory.Holders(ctx, ss, text, req.Scope, memory.HasItem); err == nil && len(list) > 1 {
			return named(nil, text), memory.InSeveral(list)
		}
	}
	st, key, err := memory.Locate(ctx, ss, text, req.Scope)
	var r *memory.Refusal
	if err == nil || !errors.As(err, &r) || r.Findings[0].Rule != memory.RuleNotFound {
		return named(st, key), err
	}
	if done, err := memory.AlreadyForgotten(ctx, ss, key, req.Scope); done != nil || err != nil {
		return named(done, key), err
	}
	if memfile.KeyForm(text) {
		return named(nil, text), r
	}
	found, err := req.byText(ctx, ss, text)
	if err != nil {
		return named(nil, text), err
	}
	return found, nil
}

// byText finds what the text names: the entry of that id, else the one record that is equal to it, else a deleted entry.
func (req ForgetRequest) byText(ctx context.Context, ss *store.Stores, text string) (removal, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return removal{}, err
	}
	want, gist := memfile.NormalText(text), memfile.Gist(text)
	byID := func(m match) bool { return m.entry != nil && memory.MatchesID(m.entry.ID, strings.TrimSpace(text)) }
	equal := func(m match) bool { return want != "" && m.text == want }
	alike := func(m match) bool { return gist != "" && memfile.Gist(m.text) == gist }
	for i, fits := range []func(match) bool{byID, equal, alike, byID, alike} {
		var found []match
		for _, m := range all {
			deleted := m.entry != nil && m.entry.Deleted
			together := func(f match) bool { return m.entry != nil && f.st.Scope == m.st.Scope && f.text == m.text }
			if deleted == (i > 2) && fits(m) && !slices.ContainsFunc(found, together) {
				found = append(found, m)
			}
		}
		if len(found) == 1 {
			return removal{match: found[0], byValue: true}, nil
		}
		if len(found) > 1 {
			return removal{}, ambiguousError(found)
		}
	}
	r := memory.Refuse(memory.RuleNotFound, "no memory has this key, id or text", "memctl show", "memctl list --tier fact")
	return removal{}, r.OrMissingFile(ctx, ss, req.Scope)
}

// ambiguousError refuses a text that names several records.
func ambiguousError(found []match) *memory.Refusal {
	const most = 10
	r := memory.Refuse(memory.RuleAmbiguous, "several values match, so nothing is forgotten")
	for _, m := range found[:min(len(found), most)] {
		r.Notes = append(r.Notes, fault.NewNote("forget-match", m.line()))
		r.Hints = append(r.Hints, "memctl forget --scope "+m.st.Scope+" "+policy.Inert(m.name()))
	}
	return r
}

// matchable lists all items, then all entries, deleted ones too. With All it also lists copies of entries and the tombstones.
func (req ForgetRequest) matchable(ctx context.Context, ss *store.Stores) ([]match, error) {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	var items, entries, tombs []match
	for _, st := range stores { // entries exist without a memory file, too
		m, err := contents.Read(ctx, st)
		if err != nil {
			return nil, err
		}
		for _, it := range m.Items {
			items = append(items, match{st: m.Store, key: it.Key, text: memfile.NormalText(it.Value.Plain()), shown: memory.ShownText(it.Verdict, it.Value.Plain()), texts: func() []string { return itemTexts(it.Item) }})
		}
		all, err := contents.ReadAllEntries(ctx, m.Store)
		if err != nil {
			return nil, err
		}
		if req.All {
			all.List = append(all.List, all.Copies...)
			tombs = append(tombs, tombsOf(m)...)
		}
		for _, e := range all.List {
			entries = append(entries, match{st: m.Store, entry: &e, text: memfile.NormalText(e.Text), shown: memory.ShownText(e.Verdict, e.Text), texts: func() []string { return entryTexts(e.Entry) }})
		}
	}
	return slices.Concat(items, entries, tombs), nil
}

func tombsOf(m *contents.Memory) (list []match) {
	for _, t := range m.Deletions {
		it := memfile.Item{Key: t.Key, Conflict: t.Conflict, Extra: t.Extra}
		if t.Value != nil { // as an earlier version left it
			it.Value = *t.Value
		}
		shown := "forgotten: " + policy.Cut(policy.Inert(memory.Redacted(t.Reason)), 200)
		list = append(list, match{st: m.Store, key: t.Key, tomb: true, shown: shown, texts: func() []string { return append(itemTexts(it), t.Reason) }})
	}
	return list
}

// itemTexts lists what a person or an agent wrote in an item.
func itemTexts(it memfile.Item) []string {
	it.Source, it.Conflict = writtenSource(it.Source, it.By), slices.Clone(it.Conflict)
	for i, r := range it.Conflict {
		it.Conflict[i].Source = writtenSource(r.Source, r.By)
	}
	return policy.FromItem(it, "").Texts()
}

// entryTexts lists what a person or an agent wrote in an entry.
func entryTexts(e entry.Entry) []string {
	e.Source = writtenSource(e.Source, e.By)
	e.By, e.Confidence, e.Category, e.Created, e.SummaryKind = "", "", "", "", ""
	return contents.EntryCandidate(e, "", "").Texts()
}
