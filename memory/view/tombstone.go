package view

import (
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// TombstoneView is one deletion as the doors print it.
type TombstoneView struct {
	Key              string          `json:"key,omitempty"`
	Removed          string          `json:"removed"`
	Reason           string          `json:"reason"`
	Conflict         []memfile.Rival `json:"conflict,omitempty"` // values that a merge set aside
	contents.Verdict                 // why an agent does not get the key and Conflict
	// objections are the policy's rules against the key.
	objections []string
}

// hide leaves of a tombstone its day and a key that is harmless.
func (v *TombstoneView) hide() {
	hidden := contents.Verdict{Withheld: v.objections}
	if len(v.Conflict) > 0 || hidden.Hidden() {
		hidden.Withheld = append([]string{memory.RuleForgotten}, v.objections...)
	}
	*v = TombstoneView{Key: memory.KeyForAgent(v.Key, hidden), Removed: v.Removed, Verdict: hidden}
}

// tombstoneView is the tombstone as the doors print it; what the policy
// refuses of it is redacted.
func tombstoneView(t memfile.Tombstone, st *store.Store) TombstoneView {
	t = t.Formed()
	v := TombstoneView{Key: memory.Redacted(t.Key), Removed: t.Removed, Reason: memory.Redacted(t.Reason)}
	v.objections = st.Rule(policy.Candidate{Key: t.Key, Raw: true}).Rules()
	for _, r := range t.Conflict {
		if st.Rule(policy.Candidate{Value: r.Value, Raw: true}).Verdict == policy.Accept {
			v.Conflict = append(v.Conflict, r)
		}
	}
	return v
}
