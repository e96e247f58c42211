package edit

import (
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// isEntry reports whether there is just one entry of that id: for a person one that is
// withheld, too.
func (req ConfirmRequest) isEntry(ctx context.Context, ss *store.Stores, id string) bool {
	if req.Explicit() {
		_, _, err := view.StandingEntry(ctx, ss, req.Scope, id)
		return err == nil
	}
	e, err := view.OneEntry(ctx, ss, req.Scope, id)
	return err == nil && e != nil
}

// confirmEntry raises one fact: a person's word to high, a relayed one to medium.
func (req ConfirmRequest) confirmEntry(ctx context.Context, ss *store.Stores, id string) (memory.Write, error) {
	w := req.Answer("confirm", memory.ShortID(id), req.Scope)
	st, e, err := view.StandingEntry(ctx, ss, req.Scope, id)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope, w.Key = st.Scope, memory.ShortID(e.ID)
	switch {
	case e.Tier() != entry.Fact:
		return w.Refused(memory.Refuse(memory.RuleValue, "only facts can be confirmed, but this is a "+e.Tier()))
	case req.Value != 0:
		return w.Refused(memory.Refuse(memory.RuleValue, "a fact has no values in conflict"))
	case req.Automatic():
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can confirm"))
	case !req.Explicit() && e.Stated() && !memory.Confirmed(&e.Entry):
		return w.Refused(onlyPersonConfirms(st.Scope))
	}
	if verdict := contents.RuleEntry(st, e.Entry.Entry, req.Message, false, false); verdict.Verdict == policy.Refuse {
		return w.Refused(&memory.Refusal{Findings: memory.Findings(verdict.Findings)})
	}
	again := &remembering{RememberRequest: RememberRequest{Options: req.Options}, ctx: ctx, ss: ss, st: st, e: e.Entry.Entry}
	again.e.Confidence, again.e.Source = confidence.At(3), "" // as a person's own fact has it
	if !req.Explicit() {
		again.e.Confidence, again.e.Source = confidence.At(2), relayedSource(req.Options)
	}
	var lift func(*memfile.Document) error
	if forgotten, err := contents.ReadForgotten(ctx, st); err != nil {
		return w, err
	} else if req.Explicit() && forgotten.Entry(e.Entry.Entry) {
		lift = func(doc *memfile.Document) error { return contents.LiftEntry(st, doc, e.Entry.Entry) }
	}
	out, err := req.Update(ctx, st, txn.Write{
		Act: "confirm", Keys: []string{e.ID}, Subject: "confirm fact " + w.Key, Change: lift,
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
		return w.Refused(memory.AsRefusal(err))
	}
	w = w.Outcome(out)
	if out.Changed {
		w.Saved = "Confirmed: fact " + w.Key + memory.UndoHint(out, "", w.Key)
	}
	if req.Explicit() && contents.VouchEntry(ctx, st, e.Path) {
		w.Notes = append(w.Notes, countsAsReviewed)
	}
	return w, nil
}

// Verify says that entries still hold: their anchors are about what stands there
// now, and a day of today says that they were looked at. One commit a scope.
func Verify(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	answers := make([]memory.Write, len(req.Keys))
	for i, id := range req.Keys {
		w := req.Answer("verify", memory.ShortID(id), req.Scope)
		st, e, err := view.StandingEntry(ctx, ss, req.Scope, id)
		if err == nil {
			w.Scope, w.Key = st.Scope, memory.ShortID(e.ID)
			w, err = verify(ctx, ss, st, *e, req.Options, w)
		}
		if err != nil {
			if w, err = w.Refused(err); err != nil {
				return answers[:i], err
			}
		}
		answers[i] = w
	}
	return answers, nil
}

func verify(ctx context.Context, ss *store.Stores, st *store.Store, e view.LiveEntry, o memory.Options, w memory.Write) (memory.Write, error) {
	switch {
	case o.Automatic():
		return w, memory.Refuse(memory.RuleExplicitOnly, "an agent cannot verify a memory unless the person asks for that")
	case !o.Explicit() && e.Locked:
		return w, memory.Refuse(memory.RuleLocked, "the entry is locked: only a person can change it")
	}
	now := e.Entry.Entry
	now.Anchors, now.Seen = nil, ss.Today()
	for _, a := range e.Anchors {
		at := a.Path
		if state, moved := contents.AnchorState(ss, a); state == contents.AnchorMoved {
			at = moved
		}
		fresh, err := contents.Anchor(ctx, ss, st, at)
		if err != nil {
			return w, memory.Refuse(ruleAnchor, err.Error())
		}
		now.Anchors = append(now.Anchors, fresh)
	}
	out, err := o.Update(ctx, st, txn.Write{
		Act: "verify", Keys: []string{e.ID}, Subject: "verify " + e.Tier() + " " + memory.ShortID(e.ID),
		Files: func() ([]store.FileChange, error) {
			changed, err := memory.ChangedEntry(st, e.Path, func(x *entry.Entry) { *x = now })
			return []store.FileChange{changed}, err
		},
	})
	return w.After(out, memory.AsRefusal(err), "Verified: "+memory.ShortID(e.ID)+" = "+memory.OneLine(memfile.Str(e.Text))+memory.UndoHint(out, "", w.Key))
}
