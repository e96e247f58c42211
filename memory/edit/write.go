// Package edit holds the acts that change items and entries: add, remember, forget, confirm,
// move, rename and their like. Import is here because each line goes the way of an add.
package edit

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
)

// candidate is an item or an entry on its way into memory.
type candidate interface {
	act() string
	source() string
	name() string // of the memory in the answer
	base() *writing
	prepare() error     // normal form, checks that need no store, and the store
	permissible() error // what the policy and the switches say before the store is touched
	draft(*txn.Draft) error
	answered(memory.Write, txn.Outcome) (memory.Write, error)
	refused(memory.Write, error) (memory.Write, error)
	pending() (ledger.Waiting, error)
	repeatsEarlier(candidate) bool
}

// Add stores one item or entry, or counts a signal for one that is there. What an agent passes on and
// a hook stored already stays as it was stored. What the policy refuses is a refusal in the answer;
// what it holds, and what an automatic write cannot commit now, waits in the queue.
func Add(ctx context.Context, ss *store.Stores, req Request) (memory.Write, error) {
	claimed := req.Origin.Kind
	reply := req.reply(ctx, ss)
	if req.Origin.Kind != claimed {
		w, err := req.add(ctx, ss)
		if err == nil && w.Changed && !ss.DryRun() { // the next start tells the person
			given := []localstate.Given{{Scope: w.Scope, Key: w.Key}}
			err = localstate.RecordSession(ss, localstate.SessionRecord{Agent: req.Agent(), Event: localstate.EventClaimed, Given: given})
		}
		return w, err
	}
	switch {
	case reply.Stored != nil:
		return req.addReply(ctx, ss, reply)
	case req.Role == "":
		req.typedOn = reply.Day
	case reply.Day != "":
		req.SaidOn = reply.Day
	}
	return req.add(ctx, ss)
}

// add is Add without a look at the prompts.
func (req Request) add(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	c, w, err := begin(ctx, ss, req)
	if err != nil || c == nil {
		return w, err
	}
	var compacted []fault.Note
	if req.Role != "" && req.Explicit() {
		compacted = upkeep.CompactedByItself(ctx, ss, c.base().st, req.Options)
	}
	out, err := req.Update(ctx, c.base().st, c.base().write(c))
	if err != nil {
		return waitOrRefuse(c, w, err)
	}
	w, err = c.answered(w, out)
	w.Notes = append(w.Notes, compacted...)
	if err != nil {
		return w, err
	}
	return req.settles(ctx, ss, w)
}

// begin rules on the request before the store is touched. Where it ends here, c is nil and the answer is
// complete: what is refused, or held, neither commits a person's edit nor recovers a file on its way, and
// never waits in the queue unruled.
func begin(ctx context.Context, ss *store.Stores, req Request) (c candidate, w memory.Write, err error) {
	shared := writing{Request: req, ctx: ctx, ss: ss, today: ss.Today()}
	c = &adding{writing: shared}
	if req.Role != "" {
		c = &remembering{writing: shared}
	}
	err = c.prepare()
	w = req.Answer(c.act(), c.name(), req.Scope)
	if st := c.base().st; st != nil {
		w.Scope = st.Scope
	}
	if err != nil {
		w, err = c.refused(w, err)
		return nil, w, err
	}
	if err = c.base().current(); err == nil {
		err = c.permissible()
	}
	if err != nil {
		w, err = waitOrRefuse(c, w, err)
		return nil, w, err
	}
	return c, w, nil
}

// waitOrRefuse answers for a candidate that did not get in.
func waitOrRefuse(c candidate, w memory.Write, err error) (memory.Write, error) {
	var held *heldError
	switch {
	case errors.As(err, &held):
		return queue(c, w, memory.Held, held.findings)
	case fault.Is(err, fault.Deferred):
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

// writing is what the adds of items and of entries share.
type writing struct {
	Request
	ctx      context.Context
	ss       *store.Stores
	st       *store.Store
	today    string
	doubt    bool             // about durable: what is automatic stays low
	noted    []policy.Finding // what the policy remarked and let pass
	importer *memory.Origin   // who imports it, and Source says all about provenance; nil for what is not imported
	said     bool             // the person said it to an agent
	// chosen: somebody chose the key of an imported item, or a person imports the file, so whether it is
	// worth keeping is not asked.
	chosen bool
}

func (w *writing) base() *writing { return w }

// restores reports whether the write brings back what was forgotten and replaces what is locked: a person's
// own one, and not their yes to a file.
func (w *writing) restores() bool { return w.Explicit() && (w.importer == nil || w.said) }

// target is the store of the write. A file that a person imports goes where their own writes go.
func (w *writing) target(key, text string) (*store.Store, error) {
	o := w.Options
	if w.importer != nil {
		o.Origin = *w.importer
	}
	return memory.Target(w.ctx, w.ss, key, text, o)
}

// current refuses a queued write whose key has changed, before the store is touched.
func (w *writing) current() error {
	if w.Queued == nil {
		return nil
	}
	doc, err := document(w.ctx, w.st)
	if err != nil {
		return err
	}
	return w.Queued.current(w.st, doc)
}

// write is the write of the candidate in its store. The key of a queued write is looked at again under the lock.
func (w *writing) write(c candidate) txn.Write {
	change, q := c.draft, w.Queued
	if q != nil {
		change = func(d *txn.Draft) (err error) {
			if err = q.current(w.st, *d.Document); err == nil {
				err = c.draft(d)
			}
			if err == nil {
				q.Left, err = keyState(w.st, *d.Document, q.Waiting)
			}
			return err
		}
	}
	return txn.Write{Act: c.act(), Source: c.source(), Create: memory.CreatesFile(w.st.Scope), Change: change}
}

// first returns the confidence that the origin gives to a new memory.
func (w *writing) first() (level string) {
	switch {
	case w.Explicit():
		return memfile.High
	case !w.Automatic():
		return memfile.Medium
	}
	return memfile.Low
}

// mayKeep reports whether a person who was shown what holds the candidate may keep it: milder
// personal data, in a scope of their own.
func (w *writing) mayKeep(held policy.Ruling) bool {
	own := w.st.Scope == store.Private || w.st.Scope == store.User
	return held.Verdict == policy.Hold && w.Acknowledged && own && w.Explicit() && slices.Equal(held.Rules(), []string{policy.RulePersonal})
}

// given is the level of what the origin gives, lowered by --confidence, and where the text
// sounds temporary.
func (w *writing) given(confidence string) int {
	n := memory.Rank(confidence)
	if w.Confidence != "" {
		n = min(n, memory.Rank(w.Confidence))
	}
	if w.doubt && !w.Explicit() {
		n = 1
	}
	if w.Temporary() && w.Confidence == "" {
		n = min(n, memory.Rank(memfile.Medium)) // high is for what is unlikely to change soon
	}
	return n
}

// SetValue gives an item another value, stated by the person who reviews it. It works for
// keys that memctl would not write too.
func SetValue(ctx context.Context, ss *store.Stores, o memory.Options, key string, v memfile.Value) (memory.Write, error) {
	return memory.First(act{Options: o, name: "review", done: "Saved", change: func(d *txn.Draft, r *txn.Record) error {
		it := r.Item
		if err := checkValue(it.Key, v); err != nil {
			return err
		}
		it.Value, it.Updated, it.By, it.Conflict, it.Signals, it.Seen = v, ss.Today(), "", nil, 0, ""
		it.Source = statedSource
		memory.Raise(r.Labels, memfile.High)
		if err := memory.RuleOn(d.Store, r); err != nil {
			return err
		}
		memory.LiftTombstone(d.Document, it.Key)
		return nil
	}}.run(ctx, ss, []string{key}))
}
