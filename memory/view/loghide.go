package view

import (
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
)

// forgotten is the verdict on what was forgotten.
var forgotten = contents.Verdict{Withheld: []string{memory.RuleForgotten}}

// held are the rules that keep a version of an item from agents alone: of the
// policy, and that its key, its value or one beside it was forgotten, or that
// the project's tombstones bind it.
func (h *historian) held(it memfile.Item) contents.Verdict {
	held := contents.Held(h.ruling(it))
	bound, _ := h.view.BindsItem(h.store.Scope, it)
	if h.forgotten[it.Key] || h.gone(it.Value) || !h.said[it.Value.Canonical()] && bound || slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return h.gone(r.Value) }) {
		held = held.And(forgotten)
	}
	return held
}

// gone reports whether a value was forgotten, and does not stand all the same,
// as one that a person said again.
func (h *historian) gone(v memfile.Value) bool { return h.texts.Value(v) && !h.said[v.Canonical()] }

func (h *historian) ruling(it memfile.Item) policy.Ruling {
	id := it.Key + "\x00" + it.Value.Canonical() + "\x00" + it.Source
	r, known := h.rulings[id]
	if !known {
		r = h.store.Rule(policy.FromItem(it, h.store.Scope))
		h.rulings[id] = r
	}
	return r
}
