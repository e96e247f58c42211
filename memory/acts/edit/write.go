// Package edit holds the acts that change items and entries: add, remember, forget, confirm,
// move, rename and their like. Import is here because each line goes the way of an add.
package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Add stores one item or entry, or counts a signal for one that is there. What the policy refuses is a refusal in the
// answer; what it holds, and what an automatic write cannot commit now, waits in the queue.
func Add(ctx context.Context, ss *store.Stores, req Request) (memory.Write, error) {
	heard := req.reply(ss)
	w, err := req.add(ctx, ss)
	if err != nil || ss.DryRun() || w.Verdict == policy.Refuse.String() {
		return w, err
	}
	if req.Role != "" && req.Role != entry.RoleFact {
		return w, nil // a note or a summary reaches no session as what the person asked to remember
	}
	answer := cmp.Or(w.Why, "stored")
	if w.Commit != nil {
		answer = *w.Commit
	}
	return w, cmp.Or(heard.Answer(req.Key, req.plain(), answer), closeProposals(ctx, ss, req.Options, req.plain()))
}

// add is Add without a look at the prompts.
func (req Request) add(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	c, w, err := begin(ctx, ss, req)
	if err != nil || c == nil {
		return w, err
	}
	out, err := req.Update(ctx, c.st, c.write())
	if err != nil {
		return waitOrRefuse(c, w, err)
	}
	w, err = c.answered(w, out)
	if out.Changed && w.Similar == nil && c.met != waits {
		w.Near = c.nearestMemories()
	}
	if err = errors.Join(err, c.tellPerson(out, nearKey(w, c.Key, c.value().Plain()))); err != nil {
		return w, err
	}
	return req.dropSaidBefore(ctx, ss, w)
}

// begin rules on the request before the store is touched. If it refuses or holds the request, c is nil
// and the answer is complete: such a request commits no edit of the person and recovers no file.
func begin(ctx context.Context, ss *store.Stores, req Request) (c *candidate, w memory.Write, err error) {
	c = &candidate{Request: req, ctx: ctx, ss: ss, today: ss.Today()}
	err = c.prepare()
	w = req.Answer(c.act(), c.name(), req.Scope)
	if c.st != nil {
		w.Scope = c.st.Scope
	}
	if err != nil {
		w, err = c.refused(w, err)
		return nil, w, err
	}
	if err = c.checkUnchanged(); err == nil {
		err = c.checkPolicy()
	}
	if err != nil {
		w, err = waitOrRefuse(c, w, err)
		return nil, w, err
	}
	return c, w, nil
}

// waitOrRefuse answers for a candidate that did not get in.
func waitOrRefuse(c *candidate, w memory.Write, err error) (memory.Write, error) {
	var held *heldError
	switch {
	case errors.As(err, &held):
		return queue(c, w, memory.Held, held.findings)
	case fault.Is(err, fault.Deferred) && c.Was == "":
		return queue(c, w, fault.Why(err, fault.Deferred), nil)
	}
	return c.refused(w, err)
}

// heldError ends the change of a candidate that waits for review.
type heldError struct{ findings []policy.Finding }

func (e *heldError) Error() string { return "held for review" }

// ruledOut is the error of a candidate that the policy refuses or holds.
func ruledOut(r policy.Ruling) error {
	switch r.Verdict {
	case policy.Refuse:
		return &memory.Refusal{Findings: memory.Findings(r.Findings)}
	case policy.Hold:
		return &heldError{findings: r.Findings}
	}
	return nil
}

// nearKey is the item that a write of a key and text may change or repeat, "" for none.
func nearKey(w memory.Write, key, text string) string {
	if w.Similar != nil {
		return w.Similar.Key
	}
	if i := slices.IndexFunc(w.Near, func(n memory.Neighbour) bool {
		return n.Key != "" && n.Key != key && memory.Concerns(text, n.Key, n.Text) > 0
	}); i >= 0 {
		return w.Near[i].Key
	}
	return ""
}

// tellPerson notes what an agent has stored, for the next start and for memctl review. near is the key of the item that it may
// change.
func (c *candidate) tellPerson(out txn.Outcome, near string) (err error) {
	if c.Explicit() || !out.Changed || c.ss.DryRun() {
		return nil
	}
	note := func(name, before string) {
		err = errors.Join(err, localstate.AddNews(c.ss, localstate.News{Agent: c.Agent(), Name: name, Near: near, Before: before}))
	}
	for _, d := range out.Deltas {
		was, is := d.Before, d.After
		if is != nil && (was == nil || !memfile.Equal(was.Value, is.Value) || len(was.Conflict) < len(is.Conflict)) {
			before := ""
			if was != nil && out.Commit != "" {
				before = out.Commit + "~1"
			}
			note(d.Key, before)
		}
	}
	for _, f := range out.Files {
		if at, ok := entry.ParsePath(f.Path); ok && at.Tier == entry.Fact && !at.Deleted && f.Before == nil && f.After != nil {
			note(f.Path, "")
		}
	}
	return err
}

// SetValue gives an item another value, stated by the person who reviews it. It works for
// keys that memctl would not write too.
func SetValue(ctx context.Context, ss *store.Stores, o memory.Options, key string, v memfile.Value) (memory.Write, error) {
	return memory.First(act{Options: o, name: "review", done: "Saved", change: func(d *txn.Draft, r *txn.Record) error {
		it := r.Item
		if err := checkValue(it.Key, v); err != nil {
			return err
		}
		if err := stateValue(r, v, statedSource, ss.Today()); err != nil {
			return err
		}
		if err := memory.RuleOn(d.Store, r); err != nil {
			return err
		}
		memory.LiftTombstone(d.Document, it.Key, v)
		return nil
	}}.run(ctx, ss, []string{key}))
}
