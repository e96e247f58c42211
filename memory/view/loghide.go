package view

import (
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// held are the rules that keep a version of an item from agents alone: of the
// policy, and that its key, its value or one beside it was forgotten, or that
// the project's tombstones bind it.
func (h *historian) held(it memfile.Item) (rules []string) {
	if r := h.ruling(it); r.Verdict == policy.Hold {
		rules = r.Rules()
	}
	bound, _ := h.view.BindsItem(h.store.Scope, it)
	if h.forgotten[it.Key] || h.gone(it.Value) || !h.said[it.Value.Canonical()] && bound || slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return h.gone(r.Value) }) {
		rules = append(rules, memory.RuleForgotten)
	}
	return rules
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
