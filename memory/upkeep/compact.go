// Package upkeep holds the acts that make stores smaller: compact, which moves entries away,
// and purge, which removes a text from history too.
package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

const ruleOverHalf = "over-half"

// compactedReason begins the reason of each entry that compact moves to deleted.
const compactedReason = "compacted: "

// CompactRequest is one `compact`.
type CompactRequest struct {
	memory.Options
	Only  []string // kinds; none asks for all
	Apply bool     // do what is proposed
	// Agreed is what a person has seen and agreed to; if it would not be the same now, nothing is done. nil removes whatever is
	// proposed, without merges of facts that a person stated.
	Agreed []CompactScope
	// Judge is asked before the store is locked, and not about other texts under the lock; nil asks no model.
	Judge *Judge
}

// CompactResult is what compacting does, or would do.
type CompactResult struct {
	Act    string         `json:"act"`
	Origin string         `json:"origin"`
	Scopes []CompactScope `json:"scopes"`
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *CompactResult) AddNoteCodes() {
	for i := range r.Scopes {
		r.Scopes[i].AddNoteCodes()
	}
}

// CompactScope is one store's part.
type CompactScope struct {
	Scope    string          `json:"scope"`
	Entries  int             `json:"entry_count"`   // that stand
	Moved    int             `json:"moved_count"`   // that go to deleted
	Dropped  int             `json:"dropped_count"` // of these, that no other entry replaces
	Changes  []CompactChange `json:"changes"`
	Findings []fault.Finding `json:"findings"` // why nothing is done
	memory.Committed
}

// CompactChange is one entry that goes to deleted.
type CompactChange struct {
	Kind     string  `json:"kind"`
	ID       string  `json:"id"`
	Tier     string  `json:"tier"`
	Text     string  `json:"text"`
	Created  string  `json:"created_at"`
	Standing float64 `json:"standing"`
	Into     string  `json:"into,omitempty"`      // id of what takes its place
	IntoText string  `json:"into_text,omitempty"` // of a fact: its text
	Path     string  `json:"path"`
}

// Compact proposes what can go from the entries, and with Apply does it: with one
// commit a scope, which undo takes back. Nothing is lost: what goes is moved to
// deleted. Errors: *fault.Error where a kind is none or the origin may not; those of
// txn.Update.
func Compact(ctx context.Context, ss *store.Stores, req CompactRequest) (CompactResult, error) {
	res := CompactResult{Act: "compact", Origin: req.Origin.Kind, Scopes: []CompactScope{}}
	for _, kind := range req.Only {
		if !slices.Contains(CompactKinds(), kind) {
			return res, &fault.Error{Code: "no-such-kind", Status: 2, Cause: memory.Quoted(kind) + ": unknown kind (use " + strings.Join(CompactKinds(), ", ") + ")"}
		}
	}
	if req.Apply && !ss.DryRun() {
		if err := req.Permit("compact", memory.StateAbsent, "memctl compact"); err != nil {
			return res, memory.AsError("", err)
		}
	}
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		c := &compacting{CompactRequest: req, ctx: ctx, ss: ss, st: st}
		scope, err := c.run()
		if err != nil {
			return res, err
		}
		if scope.Entries > 0 {
			res.Scopes = append(res.Scopes, scope)
		}
	}
	return res, nil
}

// compacting is one store's compacting under way.
type compacting struct {
	CompactRequest
	ctx    context.Context
	ss     *store.Stores
	st     *store.Store
	plan   *compactPlan
	locked bool
}

func (c *compacting) run() (CompactScope, error) {
	if err := c.replan(); err != nil {
		return CompactScope{}, err
	}
	scope := c.view()
	if !c.Apply || scope.Moved == 0 || len(scope.Findings) > 0 {
		return scope, c.note()
	}
	w := txn.Write{
		Act: "compact", Subject: fmt.Sprintf("compact %d entries", scope.Moved), Files: true,
		Change: c.files,
	}
	out, err := c.Update(c.ctx, c.st, w)
	if why := fault.Why(err, fault.Deferred); why != "" && c.Automatic() {
		scope.Why = why
		return scope, nil
	}
	if err != nil {
		return scope, memory.AsError("compact", err)
	}
	scope = c.view() // as it was found under the lock
	scope.Take(out)
	for _, m := range c.plan.merges { // so that a merged fact does not fade at once
		var from []string
		for _, f := range m.from {
			from = append(from, f.ID)
		}
		err = errors.Join(err, localstate.InheritUses(c.st, m.ID, from))
	}
	return scope, errors.Join(err, c.note())
}

// note writes down that this machine counts uses from now on.
func (c *compacting) note() error {
	if c.st.Dir == "" {
		return nil
	}
	return localstate.CountUses(c.st)
}

func (c *compacting) replan() (err error) {
	judge := func(texts []string) (Judgement, error) { return c.Judge.of(texts, !c.locked) }
	if c.plan, err = planCompact(c.ctx, c.ss, c.st, c.Only, !c.Apply || c.Agreed != nil, judge); err != nil {
		return err
	}
	if c.plan.stated {
		c.plan.notes = append(c.plan.notes, fault.NewNote("merge-left-out", "a merge of facts that you stated was left out; to agree to it, run this at a terminal: memctl compact --model"))
	}
	return nil
}

// view is the plan as the doors print it.
func (c *compacting) view() CompactScope {
	s := CompactScope{Scope: c.st.Scope, Entries: len(c.plan.all), Changes: []CompactChange{}, Findings: []fault.Finding{}, Committed: memory.Committed{Noted: fault.Noted{Notes: c.plan.notes}}}
	lost := 0
	for _, e := range c.plan.all {
		if !e.isRemoved() {
			continue
		}
		s.Moved++
		if e.into == "" {
			s.Dropped++
			if e.kind != kindTurn { // the limit bounds turns, however many are over it
				lost++
			}
		}
		v := view.EntryRecord(e.LiveEntry)
		if c.Origin.Kind != memory.Explicit {
			v.Text, e.gist = session.Defuse(v.Text), session.Defuse(e.gist)
		}
		s.Changes = append(s.Changes, CompactChange{Kind: e.kind, ID: v.ID, Tier: v.Tier, Text: v.Text, Created: v.Created, Standing: v.Standing, Into: e.into, IntoText: e.gist, Path: v.Path})
	}
	slices.SortStableFunc(s.Changes, func(a, b CompactChange) int {
		return cmp.Or(slices.Index(CompactKinds(), a.Kind)-slices.Index(CompactKinds(), b.Kind), cmp.Compare(a.Into, b.Into), cmp.Compare(a.Created, b.Created))
	})
	if 2*lost > s.Entries {
		s.Findings = append(s.Findings, fault.Finding{Rule: ruleOverHalf, Message: fmt.Sprintf("%d of %d entries would be removed and not replaced, which is over half, so nothing was done; --only limits it to one kind", lost, s.Entries)})
	}
	return s
}

// files moves and changes files. It runs under the store's lock, and
// plans anew.
func (c *compacting) files(d *txn.Draft) error {
	c.locked = true
	if err := c.replan(); err != nil {
		return err
	}
	now := c.view()
	same := func(a, b CompactChange) bool { return a.Path == b.Path && a.Into == b.Into }
	if len(now.Findings) > 0 || c.Agreed != nil && !slices.ContainsFunc(c.Agreed, func(seen CompactScope) bool {
		return seen.Scope == now.Scope && slices.EqualFunc(seen.Changes, now.Changes, same)
	}) {
		return errors.New("the entries have changed meanwhile; run compact again")
	}
	used := map[string]bool{}
	for _, e := range c.plan.all {
		switch {
		case e.isRemoved():
			err := d.Retire(e.Path, func(x *entry.Entry) {
				x.Deleted, x.Reason = entry.FormatTime(c.ss.Now()), compactedReason+e.kind
				if e.into != e.ID {
					x.ReplacedBy = e.into
				}
			})
			if err != nil {
				return err
			}
			used[e.into] = true
		case e.stays && len(memory.Union(e.Tags, e.tags))+len(memory.Union(e.Topics, e.topic)) > len(e.Tags)+len(e.Topics):
			r, err := d.Find(e.Path)
			if r == nil {
				return err
			}
			r.Tags, r.Entry.Topics = memory.Union(r.Tags, e.tags), memory.Union(r.Entry.Topics, e.topic)
			if err := d.PutRecord(r); err != nil {
				return err
			}
		}
	}
	for _, m := range c.plan.merges {
		if err := d.PutRecord(txn.EntryRecord(m.Entry)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.plan.folds)) {
		if sum := c.plan.folds[name]; used[sum.Entry.ID] { // it took a note
			if err := d.PutRecord(sum); err != nil {
				return err
			}
		}
	}
	return nil
}
