package upkeep

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memory"
)

func category(p *planned) string { return cmp.Or(p.Category, entry.Fact) }

// mayGo reports whether one fact can stand for another: of the same conversation, and not one of an
// agent for one of a person.
func mayGo(old, stays *planned) bool {
	return !old.fixed && !old.isRemoved() && !old.stays && old.Conversation == stays.Conversation && memory.Rank(old.Confidence) <= memory.Rank(stays.Confidence) &&
		(old.By != "" || stays.By == "") && (old.Expires == stays.Expires)
}

// compareFacts is the order in which of two facts that say the same the first stays.
func compareFacts(a, b *planned) int {
	rank := func(p *planned) int {
		n := memory.Rank(p.Confidence) * 2
		if p.fixed {
			n += 100
		}
		if p.By == "" {
			n++
		}
		return n
	}
	return cmp.Or(rank(b)-rank(a), cmp.Compare(b.Standing, a.Standing), cmp.Compare(a.Created, b.Created), cmp.Compare(a.Path, b.Path))
}

// exactDuplicates keeps the best of the facts with one text in one conversation.
func (p *compactPlan) exactDuplicates(facts []*planned) {
	groups, order := map[string][]*planned{}, []string{}
	for _, f := range facts {
		key := f.Conversation + "\x00" + entry.NormalText(f.Text)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], f)
	}
	for _, key := range order {
		group := groups[key]
		slices.SortFunc(group, compareFacts)
		for i, f := range group {
			for _, stays := range group[:i] {
				if !f.isRemoved() && !stays.isRemoved() && mayGo(f, stays) && (category(f) == category(stays) || category(f) == entry.Fact) {
					p.replace(f, stays, kindDuplicate)
				}
			}
		}
	}
}
