package briefing

import (
	"slices"
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
	for i := range hits {
		if done[i] || len(out) >= wanted {
			continue
		}
		done[i] = true
		at := slices.IndexFunc(hits[i+1:], func(h RecallHit) bool { return turnsAgainst(h, hits[i]) || turnsAgainst(hits[i], h) }) + i + 1
		if at == i || done[at] || wanted < 2 {
			out = append(out, hits[i])
			continue
		}
		done[at] = true
		later, earlier := hits[at], hits[i]
		if !turnsAgainst(later, earlier) {
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

// turnsAgainst reports whether a hit that is not older than another one contradicts it.
func turnsAgainst(later, earlier RecallHit) bool {
	if !states(later) || !states(earlier) || later.Time < earlier.Time {
		return false
	}
	rule := similar.NewRule(keyOf(later), later.Text)
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
