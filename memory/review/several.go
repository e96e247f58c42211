package review

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// Confirm confirms items and facts, as edit.Confirm does. For a person it also keeps the one write that waits in the queue under
// a key that no item has, and takes an agent's value of a key that their own value in another scope overrides.
func Confirm(ctx context.Context, ss *store.Stores, req edit.ConfirmRequest) (all []memory.Write, err error) {
	if !req.Explicit() {
		return edit.Confirm(ctx, ss, req)
	}
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	rest := slices.Clone(req.Keys)
	for _, key := range req.Keys {
		_, _, none := memory.Locate(ctx, ss, key, req.Scope)
		waiting, err := view.WaitingBesideFacts(contents.NewView(ctx, ss, contents.Person), stores)
		if err != nil {
			return all, err
		}
		named := slices.DeleteFunc(waiting, func(w view.Waiting) bool {
			_, said := memfile.SaidOn(w.Source, w.By) // what the person said to an agent of a project's item is what they confirm
			said = said && w.Stated != nil && w.Stated.Scope == store.Project && req.Scope == ""
			return w.Key != key || w.ID == "" && !said && (w.Stated == nil || req.Value == 0) || w.ID != "" && (none == nil || req.Value > 0)
		})
		if len(named) != 1 || req.Value >= len(named[0].Options) {
			continue // the item is meant
		}
		choice := req.Value
		if named[0].ID == "" {
			choice = max(choice, 1)
		}
		w, err := Decide(ctx, ss, Decision{Options: req.Options, Waiting: named[0], Action: view.ActKeep, Choice: choice})
		if all = append(all, w); err != nil {
			return all, err
		}
		rest = slices.DeleteFunc(rest, func(k string) bool { return k == key })
	}
	if len(rest) == 0 {
		return all, nil
	}
	req.Keys = rest
	writes, err := edit.Confirm(ctx, ss, req)
	return append(all, writes...), err
}

// Named returns what waits under a name: the id of a write in the queue, the key of an item or of a write, or the
// beginning of a fact's id. Errors: a refusal where nothing waits under it, or more than one thing.
func Named(list []view.Waiting, name string) (view.Waiting, error) {
	ways := []func(view.Waiting) bool{
		func(w view.Waiting) bool { return w.ID == name },
		func(w view.Waiting) bool { return w.ID == "" && w.Key == name },
		func(w view.Waiting) bool { return w.Key == name },
	}
	for _, fits := range ways {
		found := slices.DeleteFunc(slices.Clone(list), func(w view.Waiting) bool { return !fits(w) })
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return view.Waiting{}, memory.Refuse(memory.RuleAmbiguous, "more than one thing waits under this name; --scope or the id names one", memory.ReviewHint+" --list")
		}
	}
	return view.Waiting{}, memory.Refuse(memory.RuleNotFound, "nothing waits under this name", memory.ReviewHint+" --list")
}

// OfSession returns the proposals of the session of this one.
func OfSession(list []view.Waiting, w view.Waiting) []view.Waiting {
	return slices.DeleteFunc(slices.Clone(list), func(one view.Waiting) bool { return one.ID == "" || one.Session != w.Session })
}

// Several keeps or forgets what waits, as Decide does for each. In each scope, what is in memory is one commit, and what is
// saved from the queue another one.
func Several(ctx context.Context, ss *store.Stores, d Decision, list []view.Waiting) (all []memory.Write, err error) {
	for _, scope := range ss.Scopes() {
		here := slices.DeleteFunc(slices.Clone(list), func(w view.Waiting) bool { return w.Scope != scope })
		if len(here) == 0 {
			continue
		}
		one := d
		one.Scope = scope
		writes, err := one.several(ctx, ss, here)
		if all = append(all, writes...); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (d Decision) several(ctx context.Context, ss *store.Stores, list []view.Waiting) (all []memory.Write, err error) {
	var keys, ids []string
	for _, w := range list {
		if w.ID != "" {
			ids = append(ids, w.ID)
			continue
		}
		keys, d.Expected = append(keys, w.Key), append(d.Expected, w.Expected...)
	}
	switch {
	case len(keys) == 0:
	case d.Action == view.ActDrop:
		all, err = edit.Forget(ctx, ss, edit.ForgetRequest{Options: d.Options, Targets: keys})
	default:
		all, err = edit.Confirm(ctx, ss, edit.ConfirmRequest{Options: d.Options, Keys: keys})
	}
	if err != nil || len(ids) == 0 {
		return all, err
	}
	d.Expected = nil // what is queued is in no memory
	writes, err := d.severalQueued(ctx, ss, ids)
	return append(all, writes...), err
}

// severalQueued saves writes of the queue in one commit, or drops them.
func (d Decision) severalQueued(ctx context.Context, ss *store.Stores, ids []string) (writes []memory.Write, err error) {
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return nil, err
	}
	queue, err := ledger.Queue(st)
	if err != nil {
		return nil, err
	}
	queue = slices.DeleteFunc(queue, func(q ledger.Waiting) bool { return !slices.Contains(ids, q.ID) })
	var requests []edit.Request
	for _, q := range queue {
		if d.Action == view.ActDrop {
			w, err := d.drop(ctx, st, q)
			if writes = append(writes, w); err != nil {
				return writes, err
			}
			continue
		}
		req, err := d.request(q)
		if err != nil {
			return writes, err
		}
		requests = append(requests, req)
	}
	if d.Action == view.ActDrop {
		return writes, nil
	}
	writes, err = edit.All(ctx, ss, requests)
	for i, w := range writes {
		if w.Verdict == policy.Accept.String() {
			err = errors.Join(err, ledger.Dequeue(ctx, st, queue[i].ID, d.Wait()))
		}
	}
	return writes, err
}
