package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
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
		return res, &Error{Code: "unknown-tier", Status: 2, Message: quoted(req.Tier) + ": is no tier of entries: fact, note, summary and turn are"}
	}
	stores, err := storesOf(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	mine, err := ss.Setting(ctx, store.Enabled)
	if err != nil || !mine.On() {
		return res, err
	}
	for _, st := range stores {
		if err := res.add(ctx, ss, st, req); err != nil {
			return res, err
		}
	}
	slices.SortStableFunc(res.Entries, func(a, b EntryView) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	var hidden int
	if res.Entries, hidden = forAgent(res.Entries); hidden > 0 {
		res.Withheld += hidden
	}
	if res.MatchCount = len(res.Entries); req.Max > 0 && res.MatchCount > req.Max {
		res.Entries = res.Entries[:req.Max]
	}
	return res, nil
}

// add adds the entries of one store.
func (res *ListResult) add(ctx context.Context, ss *store.Stores, st *store.Store, req ListRequest) error {
	own := st.Scope != store.Project
	if !contents.HasEntries(st) || req.Guarded && !own && !ss.Trusted(ctx) {
		return nil
	}
	m, err := contents.Read(ctx, st)
	if err != nil || !m.Settings.Enabled {
		return err
	}
	all, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return err
	}
	reviewed := reviewedOnly(ctx, ss, req.Guarded && !own)
	counts := map[TierCount]int{}
	live := all.Live(ss.Today())
	if err := bindings(ctx, ss, req.Guarded).entries(live); err != nil {
		return err
	}
	for _, e := range live {
		tier := e.Tier()
		if req.Tier == "" && tier == entry.Turn || req.Tier != "" && tier != req.Tier || req.Category != "" && (tier != entry.Fact || cmp.Or(e.Category, "fact") != req.Category) {
			continue
		}
		if reviewed != nil {
			if src, err := contents.EntryBytes(st, e.Path); err != nil || !reviewed.Entry(ctx, st, e.Path, src) {
				res.Unreviewed++
				continue
			}
		}
		res.Entries = append(res.Entries, listed(ss, LiveEntry{Entry: e}))
		if e.Bound {
			res.Bound++
		}
		if len(e.Withheld) > 0 {
			continue
		}
		what := TierCount{Scope: st.Scope, Tier: tier}
		if tier == entry.Fact {
			what.Category = session.Defuse(cmp.Or(e.Category, "fact"))
		}
		counts[what]++
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

// OneEntry is the entry of that id, or of its beginning, as an agent may have it;
// nil where there is not just one. It reads no other's file.
func OneEntry(ctx context.Context, ss *store.Stores, scope, id string) (*EntryView, error) {
	stores, err := storesOf(ctx, ss, scope)
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
			return f.Deleted || !matchesID(place.ID, id)
		})
		entries, err := contents.ReadEntries(ctx, st, files)
		if err != nil {
			return nil, err
		}
		if err := bindings(ctx, ss, false).entries(entries); err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.Deleted && !e.Expired(ss.Today()) && matchesID(e.ID, id) {
				found = append(found, listed(ss, LiveEntry{Entry: e}))
			}
		}
	}
	if found, _ = forAgent(found); len(found) != 1 {
		return nil, nil
	}
	return &found[0], nil
}

// isEntry reports whether there is just one entry of that id: for a person one that is
// withheld, too.
func (req ConfirmRequest) isEntry(ctx context.Context, ss *store.Stores, id string) bool {
	if req.explicit() {
		_, _, err := oneEntry(ctx, ss, req.Scope, id)
		return err == nil
	}
	e, err := OneEntry(ctx, ss, req.Scope, id)
	return err == nil && e != nil
}

// confirmEntry raises one fact: a person's word to high, a relayed one to medium.
func (req ConfirmRequest) confirmEntry(ctx context.Context, ss *store.Stores, id string) (Write, error) {
	w := req.answer("confirm", shortID(id), req.Scope)
	st, e, err := oneEntry(ctx, ss, req.Scope, id)
	if err != nil {
		return w.refused(err)
	}
	w.Scope, w.Key = st.Scope, shortID(e.ID)
	switch {
	case e.Tier() != entry.Fact:
		return w.refused(refuse(ruleValue, "only a fact is confirmed, and this is a "+e.Tier()))
	case req.Value != 0:
		return w.refused(refuse(ruleValue, "a fact has no values in conflict"))
	case req.automatic():
		return w.refused(refuse(ruleExplicitOnly, "only a person confirms", "memctl confirm "+w.Key))
	case !req.explicit() && e.Stated() && !confirmed(&e.Entry):
		return w.refused(onlyPersonConfirms("memctl confirm" + ScopeFlag(st.Scope) + " " + w.Key))
	}
	if verdict := contents.RuleEntry(st, e.Entry.Entry, req.Message, false, false); verdict.Verdict == policy.Refuse {
		return w.refused(&refusal{findings: findings(verdict.Findings)})
	}
	again := &remembering{RememberRequest: RememberRequest{Options: req.Options}, ctx: ctx, ss: ss, st: st, e: e.Entry.Entry}
	again.e.Confidence, again.e.Source = confidence.At(3), "" // as a person's own fact has it
	if !req.explicit() {
		again.e.Confidence, again.e.Source = confidence.At(2), relayedSource(req.Options)
	}
	var lift func(*memfile.Document) error
	if forgotten, err := contents.ReadForgotten(ctx, st); err != nil {
		return w, err
	} else if req.explicit() && forgotten.Entry(e.Entry.Entry) {
		lift = func(doc *memfile.Document) error { return contents.LiftEntry(st, doc, e.Entry.Entry) }
	}
	out, err := update(ctx, st, txn.Write{
		Act: "confirm", Keys: []string{e.ID}, Subject: "confirm fact " + w.Key, Message: req.Message, Origin: req.Origin.Kind, Wait: req.wait(), DryRun: req.DryRun, Change: lift,
		Files: func() ([]store.FileChange, error) {
			was, err := contents.EntryBytes(st, e.Path)
			if err != nil {
				return nil, err
			}
			after, err := again.print(e.Path, was)
			return []store.FileChange{{Path: e.Path, Before: was, After: after}}, err
		},
	})
	if err != nil {
		return w.refused(asRefusal(err))
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = "Confirmed: fact " + w.Key + takeBack(out, "", w.Key)
	}
	if req.explicit() && !req.DryRun && contents.VouchEntry(ctx, st, e.Path) {
		w.Notes = append(w.Notes, countsAsReviewed)
	}
	return w, nil
}

// NoteUsed counts that an agent was given these. It is a count of use and no more: a
// fault, or a lock that is not got within the wait, costs the count alone.
func NoteUsed(ctx context.Context, ss *store.Stores, hits []RecallHit, wait time.Duration) {
	ids := map[string][]string{}
	for _, h := range hits {
		if h.Tier != index.TierFile.String() && !slices.Contains(ids[h.Scope], h.ID) {
			ids[h.Scope] = append(ids[h.Scope], h.ID)
		}
	}
	for scope, list := range ids {
		if st, err := ss.Get(ctx, scope); err == nil {
			_ = localstate.NoteUses(ctx, st, list, wait)
		}
	}
}
