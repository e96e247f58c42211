package view

import (
	"slices"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ItemView is an item as the doors print it.
type ItemView struct {
	Key   string        `json:"key"`
	Value memfile.Value `json:"value"`
	Added string        `json:"added"`
	labels.Labels
	Updated  string      `json:"updated,omitempty"`
	Conflict []RivalView `json:"conflict,omitempty"`
	Withheld []string    `json:"withheld,omitempty"` // rules that keep it from agents; a secret's Value is null then
}

// RivalView is one other value of an item in conflict; `confirm KEY --value N` picks it.
type RivalView = memfile.Rival

// TombstoneView is one deletion as the doors print it.
type TombstoneView struct {
	Key      string         `json:"key,omitempty"`
	Value    *memfile.Value `json:"value,omitempty"`
	Removed  string         `json:"removed"`
	Reason   string         `json:"reason"`
	Conflict []RivalView    `json:"conflict,omitempty"` // values that a merge set aside
	Withheld []string       `json:"withheld,omitempty"` // why an agent does not get Value and Conflict
	// objections are the policy's rules against the key.
	objections []string
}

// hide leaves of a withheld item the rules.
func (v *ItemView) hide() int {
	if len(v.Withheld) == 0 {
		return 0
	}
	*v = ItemView{Key: memory.KeyForAgent(v.Key, v.Withheld), Labels: labels.Labels{Tags: []string{}}, Withheld: v.Withheld}
	return 1
}

// hide leaves of a tombstone its day and a key that is harmless.
func (v *TombstoneView) hide() {
	rules := v.objections
	if v.Value != nil || len(v.Conflict) > 0 || len(rules) > 0 {
		rules = append([]string{memory.RuleForgotten}, rules...)
	}
	*v = TombstoneView{Key: memory.KeyForAgent(v.Key, rules), Removed: v.Removed, Withheld: rules}
}

// itemView is the item as the doors print it; a secret's value is not shown.
func itemView(it contents.Item) ItemView {
	v := ItemView{
		Key: it.Key, Value: it.Value, Added: it.Added, Labels: it.Labels, Updated: it.Updated, Conflict: slices.Clone(it.Conflict), Withheld: it.Withheld,
	}
	if v.Tags == nil {
		v.Tags = []string{}
	}
	if policy.OnlyGone(it.Value) {
		v.Value = memfile.Value{} // a mark, and no value
	}
	if it.Secret() {
		v.Key, v.Source, v.Value, v.Conflict = memory.Redacted(v.Key), memory.Redacted(v.Source), memfile.Value{}, nil
		for i, tag := range v.Tags {
			v.Tags[i] = memory.Redacted(tag)
		}
	}
	return v
}

// tombstoneView is the tombstone as the doors print it; what the policy
// refuses of it is redacted.
func tombstoneView(t memfile.Tombstone, st *store.Store) TombstoneView {
	t = t.Formed()
	v := TombstoneView{Key: memory.Redacted(t.Key), Removed: t.Removed, Reason: memory.Redacted(t.Reason)}
	v.objections = st.Rule(policy.Candidate{Key: t.Key, Raw: true}).Rules()
	if t.Value != nil && st.Rule(policy.Candidate{Value: *t.Value, Raw: true}).Verdict == policy.Accept {
		v.Value = t.Value
	}
	for _, r := range t.Conflict {
		if st.Rule(policy.Candidate{Value: r.Value, Raw: true}).Verdict == policy.Accept {
			v.Conflict = append(v.Conflict, r)
		}
	}
	return v
}
