// Package review decides about waiting writes: it carries out a person's decisions, and
// commits writes that waited until a commit was possible.
package review

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// Decide carries out a person's answer about one thing that waits: keep it,
// keep it with another value, or forget it. Only a person decides, and only on what they were shown.
func Decide(ctx context.Context, ss *store.Stores, d Decision) (memory.Write, error) {
	d.Scope, d.Expected = d.Waiting.Scope, d.Waiting.Expected
	w := d.Answer("review", d.Waiting.Key, d.Scope)
	if err := d.Permit("review", memory.StateAbsent, memory.ReviewHint); err != nil {
		return w.Refused(err)
	}
	if !slices.ContainsFunc(d.Waiting.Choices, func(c view.Choice) bool { return c.Act == d.Action && c.Value == d.Choice }) {
		var commands []string
		for _, c := range d.Waiting.Choices {
			commands = append(commands, c.Command)
		}
		return w.Refused(memory.Refuse(memory.RuleValue, "this is not one of its choices", commands...))
	}
	if d.Action == view.ActReplace {
		return d.replace(ctx, ss, d.Waiting.Near.Scope, d.Waiting.Near.Key, d.Waiting.Value)
	}
	if d.Waiting.ID != "" {
		return d.queued(ctx, ss)
	}
	if d.Waiting.Why == view.WaitsForgotten {
		return d.setAside(ctx, ss)
	}
	if d.Waiting.Stated != nil {
		return d.decideOutranked(ctx, ss)
	}
	fact := edit.Request{Options: d.Options, Role: entry.RoleFact} // in the place of one
	switch d.Action {
	case view.ActDrop:
		if d.Waiting.Before != "" {
			w, err := undo.Restore(ctx, ss, undo.RestoreRequest{Options: d.Options, Key: d.Waiting.Key, Rev: d.Waiting.Before})
			if err == nil && w.Changed {
				err = localstate.DropNews(ss, d.Waiting.Key)
			}
			return w, err
		}
		return memory.First(edit.Forget(ctx, ss, edit.ForgetRequest{Options: d.Options, Targets: []string{d.Waiting.Key}}))
	case view.ActEdit:
		if d.Value == nil {
			return memory.Write{}, errors.New("review: edit without a value")
		}
		if d.Waiting.Tier == entry.Fact {
			fact.Text, fact.Replace = d.Value.Text, d.Waiting.Key
			return edit.Add(ctx, ss, fact)
		}
		return edit.SetValue(ctx, ss, d.Options, d.Waiting.Key, *d.Value)
	}
	req := edit.ConfirmRequest{Options: d.Options, Keys: []string{d.Waiting.Key}, Value: d.Choice}
	if len(d.Waiting.Conflict) > 0 {
		req.Said = d.chose()
	}
	w, err := memory.First(edit.Confirm(ctx, ss, req))
	if err == nil && d.Waiting.Was != nil && !w.Changed { // the person's edit has a commit of its own
		w.Saved = "Kept: " + d.key() + " = " + shownValue(d.Waiting.Value)
	}
	return w, err
}

// setAside brings a forgotten item back, or lets go of what a merge kept with
// its tombstone.
func (d Decision) setAside(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	switch d.Action {
	case view.ActKeep:
		return undo.Restore(ctx, ss, undo.RestoreRequest{Options: d.Options, Key: d.Waiting.Key})
	case view.ActEdit:
		return edit.Add(ctx, ss, edit.Request{Options: d.Options, Key: d.Waiting.Key, Value: *d.Value})
	}
	saved := "Dropped: " + d.key() + " = " + shownValue(d.Waiting.Value) + "; it stays forgotten"
	return d.change(ctx, ss, saved, func(doc *txn.Draft) error {
		for i := range doc.Deletions {
			if doc.Deletions[i].Key == d.Waiting.Key {
				doc.Deletions[i].Conflict = nil
			}
		}
		return nil
	})
}

// change changes the memory file of what waits.
func (d Decision) change(ctx context.Context, ss *store.Stores, saved string, change func(*txn.Draft) error) (memory.Write, error) {
	w := d.Answer("review", d.Waiting.Key, d.Scope)
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return w, err
	}
	out, err := d.Update(ctx, st, txn.Write{Act: "review", Keys: []string{d.Waiting.Key}, Files: d.Waiting.Tier != "", Change: change})
	return w.After(out, memory.AsRefusal(err), saved+memory.UndoHint(out, "", ""))
}

// queued decides about a write that waits in the queue.
func (d Decision) queued(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	w := d.Answer("review", d.Waiting.Key, d.Scope)
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return w, err
	}
	queue, err := ledger.Queue(st)
	if err != nil {
		return w, err
	}
	i := slices.IndexFunc(queue, func(q ledger.Waiting) bool { return q.ID == d.Waiting.ID })
	if i < 0 {
		return w.Refused(memory.Refuse(memory.RuleNotFound, "it is not pending any more"))
	}
	if d.Action == view.ActDrop {
		return d.drop(ctx, st, queue[i])
	}
	d.Command = cmp.Or(d.Command, rand.Text())
	if scope, name, err := sameText(ctx, ss, queue[i]); name != "" || err != nil {
		d.Scope = scope
		return memory.First(edit.Confirm(ctx, ss, edit.ConfirmRequest{Options: d.Options, Keys: []string{name}}))
	}
	req, err := d.request(queue[i])
	if err != nil {
		return w, err
	}
	if w, err = edit.Add(ctx, ss, req); err != nil || w.Verdict != policy.Accept.String() {
		return w, err
	}
	_, err = ledger.DropQueued(ctx, st, ledger.Drop{Act: "review", Origin: d.Origin.Kind, Command: d.Command, IDs: []string{d.Waiting.ID}, Wait: d.Wait()})
	return w, err
}

// sameText finds the item or fact that says what a proposal says, under whatever key; "" for none.
func sameText(ctx context.Context, ss *store.Stores, q ledger.Waiting) (scope, name string, err error) {
	v := contents.NewView(ctx, ss, contents.Person)
	memories, err := v.Memories("")
	same := func(text string) bool {
		return q.Said != "" && memfile.NormalText(text) == memfile.NormalText(q.Value.Plain())
	}
	for _, m := range memories {
		for _, it := range m.Items {
			if same(it.Value.Plain()) && len(it.Conflict) == 0 {
				return m.Store.Scope, it.Key, err
			}
		}
		all, err := v.AllEntries(m.Store.Scope)
		if err != nil {
			return "", "", err
		}
		for _, e := range all.Live(ss.Today()) {
			if e.Tier() == entry.Fact && same(e.Text) {
				return m.Store.Scope, e.ID, nil
			}
		}
	}
	return "", "", err
}

// drop takes a write off the queue that the person does not want.
func (d Decision) drop(ctx context.Context, st *store.Store, q ledger.Waiting) (memory.Write, error) {
	dropped := policy.Inert(memory.Redacted(q.Key)) + " = " + shownValue(q.Value)
	w := d.Answer("review", q.Key, d.Scope).Uncommitted(st.Stores, "Dropped: "+dropped+"; nothing of it was saved", fault.NewNote("would-drop", "would drop from the queue: "+dropped))
	if q.Said != "" {
		err := localstate.DropStatement(st.Stores, q.Value.Plain())
		if err == nil {
			err = answerDropped(st.Stores, q)
		}
		if err != nil {
			return w, err
		}
	}
	undo, err := ledger.DropQueued(ctx, st, ledger.Drop{Act: "review", Origin: d.Origin.Kind, IDs: []string{q.ID}, Wait: d.Wait()})
	if undo {
		w.Saved += " (undo: memctl undo)"
	}
	return w, err
}

// answerDropped answers what the person asked to remember before they dropped a proposal of it: only what they say later is
// proposed again.
func answerDropped(ss *store.Stores, q ledger.Waiting) error {
	return localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		for _, p := range list {
			for i, a := range p.Asked {
				if (p.InRepository(ss) || a.Scope == store.User) && a.Answer == "" && capture.Same(a.Key, a.Text, q.Key, q.Value.Plain()) {
					p.Asked[i].Answer = "dropped"
				}
			}
		}
		return list
	})
}

// request writes what waited, as the person's own word. Milder personal data,
// which the policy held, goes with an allowance into the person's own scopes;
// whatever else was held for its content is held again.
func (d Decision) request(q ledger.Waiting) (edit.Request, error) {
	if q.Origin != memory.Explicit {
		q.Source = "" // an agent's: the person states it now
	}
	req, err := edit.FromQueue(q, d.Options)
	if err != nil {
		return req, err
	}
	if d.Value != nil {
		req.Value, req.Text = *d.Value, d.Value.Plain()
	}
	req.Confidence, req.Acknowledged = "", true
	return req, nil
}

// EditedValue is the value that a text stands for. A text that nobody changed is the value itself.
func EditedValue(w view.Waiting, text string) (memfile.Value, error) {
	switch {
	case w.Value.Kind == memfile.String:
		return memfile.Str(text), nil
	case strings.TrimSpace(text) == strings.TrimSpace(w.Value.YAML()):
		return w.Value, nil
	}
	return edit.ParseYAML(w.Key, text)
}

// Decision is a person's answer about one waiting thing.
type Decision struct {
	memory.Options
	Waiting view.Waiting
	Action  string         // view.ActKeep, view.ActEdit or view.ActDrop
	Value   *memfile.Value // for edit
	Choice  int            // take the other value of that number, from 1; 0 keeps the present one
}
