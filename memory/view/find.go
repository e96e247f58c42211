package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// FindRequest asks for records as an agent may have them.
type FindRequest struct {
	Scope    string   // "" asks every scope
	Tier     string   // item, fact, note, summary or turn; "" asks for all but turns
	Patterns []string // keys, or globs of keys, of items alone
	Category string   // of facts alone
}

// FindResult is what was found: copies that are safe to hand to an agent.
type FindResult struct {
	Items    []Record // by key
	Entries  []Record // the newest first
	Scopes   []ScopeState
	Warnings []string // scopes that could not be read, or not whole
	Off      string   // a sentence, where the person's own switch hides all memory
	Hidden   int      // entries that are withheld
}

// ScopeState is what a scope holds and whether it may be handed out.
type ScopeState struct {
	Scope            string `json:"scope"`
	Enabled          bool   `json:"enabled"`
	Trusted          bool   `json:"trusted"`
	ItemCount        int    `json:"item_count"`        // all that is in the file
	WithheldCount    int    `json:"withheld_count"`    // kept from agents by a rule, or by what was forgotten in the project
	ExpiredCount     int    `json:"expired_count"`     //
	UnconfirmedCount int    `json:"unconfirmed_count"` // low, or waiting for confirmation
	ForgottenCount   int    `json:"forgotten_count"`
	FactCount        int    `json:"fact_count"` // of entries those that are not withheld
	NoteCount        int    `json:"note_count"`
	SummaryCount     int    `json:"summary_count"`
	WaitingCount     int    `json:"waiting_count"` // in the queue
	Why              string `json:"why,omitempty"` // why none of its items is here: disabled

	exists bool // it has a memory file, or an entry
}

// Find lists what may be handed out. It writes nothing but caches, and no
// pattern that matches nothing is an error.
// Errors: a scope that the session does not have; an unknown tier or category.
func Find(ctx context.Context, ss *store.Stores, req FindRequest) (FindResult, error) {
	res := FindResult{Items: []Record{}, Entries: []Record{}, Scopes: []ScopeState{}, Warnings: []string{}}
	if err := checkCategory(req.Category); err != nil {
		return res, err
	}
	if req.Tier != "" && !slices.Contains([]string{Item, entry.Fact, entry.Note, entry.Summary, entry.Turn}, req.Tier) {
		return res, &fault.Error{Code: "unknown-tier", Status: 2, Cause: memory.Quoted(req.Tier) + ": unknown tier (use item, fact, note, summary or turn)"}
	}
	scopes := ss.Scopes()
	if req.Scope != "" {
		if _, err := ss.Get(ctx, req.Scope); err != nil {
			return res, err
		}
		scopes = []string{req.Scope}
	}
	v := contents.NewView(ctx, ss, contents.Agent)
	if mine, err := ss.Setting(ctx, store.Enabled); err == nil && !mine.On() {
		why, command := SwitchedOff(mine)
		res.Off = "No memory is shown: " + why + ". The person switches it on with `" + command + "`."
	}
	for _, scope := range scopes {
		s := ScopeState{Scope: scope}
		st, err := ss.Get(ctx, scope)
		if err == nil && req.Category == "" && (req.Tier == "" || req.Tier == Item) {
			err = res.addItems(ctx, v, &s, req.Patterns)
		}
		if err == nil && len(req.Patterns) == 0 && req.Tier != Item {
			err = res.addEntries(v, st, &s, req)
		}
		if err != nil {
			res.Warnings = append(res.Warnings, err.Error())
		}
		if s.exists || s.WaitingCount > 0 {
			res.Scopes = append(res.Scopes, s)
		}
	}
	slices.SortStableFunc(res.Items, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortStableFunc(res.Entries, func(a, b Record) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return res, nil
}

// addItems adds the items of one scope, and how it stands where it has a memory file.
func (res *FindResult) addItems(ctx context.Context, v *contents.View, s *ScopeState, patterns []string) error {
	m, err := v.Memory(s.Scope)
	if err != nil {
		return err
	}
	s.exists = m.Exists
	s.Enabled, s.Trusted = m.Closed&contents.Switches == 0, s.Scope != store.Project || m.Store.Stores.Trusted(ctx)
	if queue, err := ledger.Queue(m.Store); err == nil {
		s.WaitingCount = len(queue)
	}
	res.Warnings = append(res.Warnings, memory.MissingFileNote(ctx, m)...)
	res.Warnings = append(res.Warnings, memory.DamagedNote(m)...)
	s.ItemCount, s.ForgottenCount = len(m.Items), len(m.Deletions)
	if m.Exists && !s.Enabled {
		s.Why = session.WhyDisabled
	}
	matched := map[string]bool{}
	for i := range m.Items {
		it := &m.Items[i]
		s.count(it)
		if it.Out()&contents.ForAsking != 0 || !selected(patterns, it.Key, matched) {
			continue
		}
		r := itemRecord(*it, s.Scope).Harmless()
		r.Confidence = labels.ConfidenceAt(memory.Rank(r.Confidence))
		res.Items = append(res.Items, r)
	}
	return nil
}

// count notes the item's standing.
func (s *ScopeState) count(it *contents.Item) {
	switch why := it.Out(); {
	case why&contents.Withheld != 0:
		s.WithheldCount++
	case why&contents.Outranked != 0: // a person has said what counts
	case why&contents.Expired != 0:
		s.ExpiredCount++
	case why&contents.Doubts != 0:
		s.UnconfirmedCount++
	}
}

// addEntries adds the entries of one store.
func (res *FindResult) addEntries(v *contents.View, st *store.Store, s *ScopeState, req FindRequest) error {
	if !contents.HasEntries(st) {
		return nil
	}
	all, err := v.AllEntries(st.Scope)
	if err != nil {
		return err
	}
	counts := map[string]*int{entry.Fact: &s.FactCount, entry.Note: &s.NoteCount, entry.Summary: &s.SummaryCount, entry.Turn: new(int)}
	for _, e := range all.Live(st.Stores.Today()) {
		tier := e.Tier()
		if req.Tier == "" && tier == entry.Turn || req.Tier != "" && tier != req.Tier || req.Category != "" && (tier != entry.Fact || cmp.Or(e.Category, "fact") != req.Category) {
			continue
		}
		switch why := e.Out() & contents.ForAsking; {
		case why&(contents.Switches|contents.OtherAgent) != 0:
		case why&contents.Withheld != 0:
			res.Hidden++
		default:
			res.Entries = append(res.Entries, listed(st.Stores, LiveEntry{Entry: e}).Harmless())
			*counts[tier]++
			s.exists = true
		}
	}
	return nil
}
