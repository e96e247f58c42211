package review

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// Confirm confirms items and facts, as edit.Confirm does, and keeps for a person the one write that waits in the queue under
// a key that no item has.
func Confirm(ctx context.Context, ss *store.Stores, req edit.ConfirmRequest) (all []memory.Write, err error) {
	if !req.Explicit() || req.Value > 0 {
		return edit.Confirm(ctx, ss, req)
	}
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	rest := slices.Clone(req.Keys)
	for _, key := range req.Keys {
		if _, _, err := memory.Locate(ctx, ss, key, req.Scope); err == nil {
			continue // the item is meant
		}
		waiting, err := view.WaitingBesideFacts(contents.NewView(ctx, ss, contents.Person), stores)
		if err != nil {
			return all, err
		}
		named := slices.DeleteFunc(waiting, func(w view.Waiting) bool { return w.Key != key })
		if len(named) != 1 || named[0].ID == "" {
			continue
		}
		w, err := Decide(ctx, ss, Decision{Options: req.Options, Waiting: named[0], Action: view.ActKeep})
		if all = append(all, w); err != nil {
			return all, err
		}
		rest = slices.DeleteFunc(rest, func(k string) bool { return k == key })
	}
	if len(rest) == 0 {
		return all, nil
	}
	writes, err := edit.Confirm(ctx, ss, edit.ConfirmRequest{Options: req.Options, Keys: rest})
	return append(all, writes...), err
}

// Several keeps or forgets what waits in one scope, as Decide does for each. What is in memory is one commit, and what is
// saved from the queue another one.
func Several(ctx context.Context, ss *store.Stores, d Decision, list []view.Waiting) (all []memory.Write, err error) {
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
