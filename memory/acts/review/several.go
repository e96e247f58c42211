package review

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
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
			return view.Waiting{}, memory.Refuse(memory.RuleAmbiguous, "several memories in the list have this name; use the id, or --scope", memory.ReviewHint+" --list")
		}
	}
	return view.Waiting{}, memory.Refuse(memory.RuleNotFound, "nothing waits under this name", memory.ReviewHint+" --list")
}

// OfSession returns the proposals of the session of this one.
func OfSession(list []view.Waiting, w view.Waiting) []view.Waiting {
	return slices.DeleteFunc(slices.Clone(list), func(one view.Waiting) bool { return one.ID == "" || one.Session != w.Session })
}

// Several decides the same of several things that wait, so that one undo takes all back. What a merge set aside or a person's
// value outranks is decided alone. The answers are in the order of the list. Errors: those of Decide.
func Several(ctx context.Context, ss *store.Stores, d Decision, list []view.Waiting) (all []memory.Write, err error) {
	d.Command = cmp.Or(d.Command, rand.Text())
	for i := range list {
		if d.Waiting = list[i]; d.Action == view.ActKeep && d.Waiting.SaidIn(list[:i]) {
			continue // it was closed with the first of its text
		}
		w, err := Decide(ctx, ss, d)
		if all = append(all, w); err != nil {
			return all, err
		}
	}
	return all, nil
}
