package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ListRequest asks for entries as an agent may have them.
type ListRequest struct {
	Scope    string // "" asks every scope
	Tier     string // fact, note, summary or turn; "" asks for all but turns
	Category string // of facts
	Max      int    // at most so many entries; 0: no limit
	// Guarded: they reach the agent without its asking for them, so the project's
	// own take the person's trust.
	Guarded bool
}

// ListResult is what was found, the newest first: safe to hand to an agent.
type ListResult struct {
	Entries    []EntryView `json:"entries"`
	MatchCount int         `json:"match_count"` // of which Entries holds the first
	Withheld   int         `json:"withheld_count"`
	Bound      int         `json:"-"` // of these, by what was forgotten in the project
	Unreviewed int         `json:"unreviewed_count"`
	Counts     []TierCount `json:"counts"`
}

// TierCount is how many entries of one kind a scope has, of those that are listed.
type TierCount struct {
	Scope    string `json:"scope"`
	Tier     string `json:"tier"`
	Category string `json:"category,omitempty"`
	Count    int    `json:"entry_count"`
}

// List lists entries for an agent, and counts them. Of a scope that is switched
// off nothing is listed. Errors: a scope that the session does not have; a tier or
// a category that is none.
func List(ctx context.Context, ss *store.Stores, req ListRequest) (ListResult, error) {
	res := ListResult{Entries: []EntryView{}, Counts: []TierCount{}}
	if req.Category != "" && !slices.Contains(entry.Categories(), req.Category) {
		return res, unknownCategory(req.Category)
	}
	if req.Tier != "" && !slices.Contains([]string{entry.Fact, entry.Note, entry.Summary, entry.Turn}, req.Tier) {
		return res, &fault.Error{Code: "unknown-tier", Status: 2, Cause: memory.Quoted(req.Tier) + ": unknown tier (use fact, note, summary or turn)"}
	}
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	v, err := contents.NewView(ctx, ss, req.Guarded)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		if err := res.add(v, st, req); err != nil {
			return res, err
		}
	}
	slices.SortStableFunc(res.Entries, func(a, b EntryView) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	res.Entries, _ = forAgent(res.Entries)
	if res.MatchCount = len(res.Entries); req.Max > 0 && res.MatchCount > req.Max {
		res.Entries = res.Entries[:req.Max]
	}
	return res, nil
}

// add adds the entries of one store.
func (res *ListResult) add(v *contents.View, st *store.Store, req ListRequest) error {
	if !contents.HasEntries(st) {
		return nil
	}
	all, err := v.AllEntries(st.Scope)
	if err != nil {
		return err
	}
	counts := map[TierCount]int{}
	for _, e := range all.Live(st.Stores.Today()) {
		tier := e.Tier()
		if req.Tier == "" && tier == entry.Turn || req.Tier != "" && tier != req.Tier || req.Category != "" && (tier != entry.Fact || cmp.Or(e.Category, "fact") != req.Category) {
			continue
		}
		switch why := e.Out() &^ contents.Doubts; {
		case why&contents.Switches != 0:
		case why&contents.Withheld != 0:
			res.Withheld++
			if e.Bound {
				res.Bound++
			}
		case why != 0:
			res.Unreviewed++
		default:
			res.Entries = append(res.Entries, listed(st.Stores, LiveEntry{Entry: e}))
			what := TierCount{Scope: st.Scope, Tier: tier}
			if tier == entry.Fact {
				what.Category = session.Defuse(cmp.Or(e.Category, "fact"))
			}
			counts[what]++
		}
	}
	var list []TierCount
	for what, n := range counts {
		what.Count = n
		list = append(list, what)
	}
	slices.SortFunc(list, func(a, b TierCount) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), b.Count-a.Count, cmp.Compare(a.Category, b.Category))
	})
	res.Counts = append(res.Counts, list...)
	return nil
}

// OneEntry is the entry of that id, or of its beginning, as an agent that asks may have it;
// nil where there is not just one. It reads no other's file.
func OneEntry(ctx context.Context, ss *store.Stores, scope, id string) (*EntryView, error) {
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	v, err := contents.NewView(ctx, ss, false)
	if err != nil {
		return nil, err
	}
	var found []EntryView
	for _, st := range stores {
		files, _, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(f contents.EntryFile) bool {
			place, _ := entry.ParsePath(f.Path)
			return f.Deleted || !memory.MatchesID(place.ID, id)
		})
		entries, err := v.Entries(st.Scope, files)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Out()&^(contents.Doubts|contents.Switches) == 0 && memory.MatchesID(e.ID, id) {
				found = append(found, listed(ss, LiveEntry{Entry: e}))
			}
		}
	}
	if found, _ = forAgent(found); len(found) != 1 {
		return nil, nil
	}
	return &found[0], nil
}
