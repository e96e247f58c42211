package briefing

import (
	"strings"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store/localstate"
)

// contrary is how many hits beyond the wanted ones are searched for contradictions.
const contrary = 10

// withContrary returns the first hits, at most the wanted number. Where a later item or fact
// contradicts one of them, or says that what it proposes was tried and rejected, the later one stands
// before it, also where it would not be among the first; the earlier one names it.
func withContrary(hits []RecallHit, wanted int) []RecallHit {
	out := make([]RecallHit, 0, min(len(hits), wanted))
	done := make([]bool, len(hits))
	rules := make([]similar.Rule, len(hits))
	for i, h := range hits {
		if states(h) {
			rules[i] = similar.NewRule(keyOf(h), h.Text)
		}
	}
	against := func(later, earlier int) bool { return turnsAgainst(rules[later], hits[later], hits[earlier]) }
	for i := range hits {
		if done[i] || len(out) >= wanted {
			continue
		}
		done[i] = true
		at := i + 1
		for at < len(hits) && (done[at] || !against(at, i) && !against(i, at)) {
			at++
		}
		if at == len(hits) || wanted < 2 {
			out = append(out, hits[i])
			continue
		}
		done[at] = true
		later, earlier := hits[at], hits[i]
		if !against(at, i) {
			later, earlier = earlier, later
		}
		earlier.ContradictedBy = later.ID
		if len(out) == wanted-1 { // there is room for one: the one that holds
			out = append(out, later)
			continue
		}
		out = append(out, later, earlier)
	}
	return out
}

// turnsAgainst reports whether a hit, whose text is the rule, is not older than another one and
// contradicts it.
func turnsAgainst(rule similar.Rule, later, earlier RecallHit) bool {
	if !states(later) || !states(earlier) || later.Time < earlier.Time {
		return false
	}
	return rule.TakesBack(keyOf(earlier), earlier.Text) || rule.Rejects(keyOf(earlier), earlier.Text)
}

// states reports whether a hit is a statement: an item or a fact.
func states(h RecallHit) bool {
	return h.Tier == index.TierItem.String() || h.Tier == index.TierFact.String()
}

// keyOf is the key of an item; a fact has none.
func keyOf(h RecallHit) string {
	if h.Tier == index.TierItem.String() {
		return h.ID
	}
	return ""
}

// uses are the use counts of what is searched, by scope and by id or key; a store whose counts
// cannot be read has none.
func (r *Recaller) uses() map[string]map[string]localstate.Use {
	all := map[string]map[string]localstate.Use{}
	for _, st := range r.searched {
		if uses, err := localstate.Uses(st); err == nil && len(uses) > 0 {
			all[st.Scope] = uses
		}
	}
	return all
}

// entryOf is the id of the entry that a doc is, or is a chunk of.
func entryOf(id string) string {
	id, _, _ = strings.Cut(id, "#L")
	return id
}
