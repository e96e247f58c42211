package view

import (
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
)

// ChangeEntry is the kind of a change of a fact, note, summary or turn.
const ChangeEntry = "entry"

// entryLog is the history of the entry that an id names, wherever its file
// stands or stood; nothing where the text is no id of one.
func (h *historian) entryLog(ctx context.Context, id string) ([]Change, error) {
	if memfile.KeyForm(id) {
		return nil, nil
	}
	name, err := h.entryNamed(ctx, id)
	if err != nil || name == "" {
		return nil, err
	}
	var list []Change
	live := entry.LivePath(name)
	for _, at := range slices.Compact([]string{live, entry.DeletedPath(live)}) {
		err := contents.FileHistory(ctx, h.store, at, func(v contents.FileVersion) {
			if slices.ContainsFunc(list, func(c Change) bool { return c.Commit == v.Commit }) {
				return // it moved: told where it stood
			}
			list = append(list, h.entryChange(v, at))
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// entryNamed is the path of the entry's file: one that stands, or the newest
// that history has.
func (h *historian) entryNamed(ctx context.Context, id string) (string, error) {
	files, _, err := contents.EntryFiles(ctx, h.store)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if p, ok := entry.ParsePath(f.Path); ok && memory.MatchesID(p.ID, id) {
			return f.Path, nil
		}
	}
	name, _, err := contents.LostEntry(ctx, h.store, func(_ string, p entry.Place) bool { return memory.MatchesID(p.ID, id) })
	return name, err
}

// entryChange is one commit's change of an entry's file as the doors print it.
func (h *historian) entryChange(v contents.FileVersion, at string) Change {
	place, _ := entry.ParsePath(at)
	c := Change{
		Kind: ChangeEntry, Key: memory.ShortID(place.ID), Scope: h.store.Scope, Change: "changed",
		Commit: v.Commit, Author: policy.Inert(v.Author), Date: v.Date.UTC().Format(time.RFC3339),
	}
	switch {
	case v.Was == nil:
		c.Change = "added"
	case v.Is == nil:
		c.Change = "removed"
	}
	c.Act = c.Change
	if act := actsOf(v.Version).on(place.ID).act; act != "" {
		c.Act = policy.Inert(act)
	}
	if len(v.Parents) == 0 && contents.CutOff(h.store, v.Commit) {
		c.Act, c.Author = actBoundary, ""
	}
	after := entry.In(at, v.Is)
	own := after != nil && after.By == "" // a person made it theirs
	for _, side := range []struct {
		src   []byte
		value **memfile.Value
	}{{v.Was, &c.Before}, {v.Is, &c.After}} {
		e := entry.In(at, side.src)
		if e == nil {
			continue
		}
		c.Key, c.Source = e.Tier()+" "+memory.ShortID(e.ID), policy.Inert(memory.Redacted(e.Source))
		r := contents.RuleEntryAt(h.store, at, *e)
		refused := contents.Refused(r)
		if c.Verdict = c.And(refused); refused.Hidden() {
			continue
		}
		c.held = c.held.And(contents.Held(r))
		bound, _ := h.view.BindsEntry(h.store.Scope, *e)
		if h.texts.Entry(*e) || !own && bound {
			c.held = c.held.And(forgotten)
		}
		text := memfile.Str(memory.OneLine(memfile.Str(e.Text)))
		*side.value = &text
	}
	return c
}
