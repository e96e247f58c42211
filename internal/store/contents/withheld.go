package contents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// AcceptDigest names an item by its key and value, so that an acceptance ends
// when either changes. It tells nobody what the value is that cannot guess it.
func AcceptDigest(key string, v memfile.Value) string {
	sum := sha256.Sum256([]byte(key + "\x00" + v.Canonical()))
	return hex.EncodeToString(sum[:16])
}

// rulesKey names all that decides what is withheld: the rules, the team's, and
// what the person accepted.
func rulesKey(st *store.Store) string {
	return strings.Join(append([]string{policy.Version(), memfile.GistVersion, st.Stores.TeamRules(st.Scope).Key()}, st.Stores.AcceptedSoFar()...), " ")
}

// RulesKey changes whenever a verdict on something in the store may change
// though its file did not.
func RulesKey(ctx context.Context, st *store.Store) string {
	st.Stores.Accepted(ctx)
	return rulesKey(st)
}

// withheld lists the rules that keep an item from agents. known are verdicts
// of the policy by contentKey; nil for none. said is heldBy of doc.
func withheld(st *store.Store, doc memfile.Document, it memfile.Item, known map[string][]string, said func() *Forgotten) []string {
	rules := verdict(st, it, known)
	if memfile.ForgottenBy(doc, it) != nil || saidAgain(said, it) {
		rules = append(slices.Clip(rules), RuleForgotten)
	}
	return rules
}

// saidAgain reports whether an agent's item says what a tombstone of another key, or of
// an entry, holds: a merge brings it from a branch where nothing was forgotten. A
// person's own item stands: what a person says is not forgotten. Hashes do not count:
// what is withheld depends on the file alone.
func saidAgain(said func() *Forgotten, it memfile.Item) bool {
	if it.By == "" {
		return false
	}
	t := said().value(it.Key, it.Value)
	return t != nil && t.Key != it.Key
}

// heldBy is what the tombstones of a document hold, worked out by the first item that
// asks.
func heldBy(doc memfile.Document) func() *Forgotten {
	return sync.OnceValue(func() *Forgotten { return newForgotten(doc, nil, nil) })
}

// verdict is withheld, as far as the item alone decides it.
func verdict(st *store.Store, it memfile.Item, known map[string][]string) []string {
	if len(known) > 0 {
		if rules, ok := known[contentKey(it)]; ok {
			return rules
		}
	}
	return lifted(st, st.Rule(policy.FromItem(it, st.Scope)), it.Key, it.Value).Rules()
}

// lifted is a ruling on a key and a value without the findings that the person accepted.
func lifted(st *store.Store, r policy.Ruling, key string, v memfile.Value) policy.Ruling {
	if r.Verdict != policy.Accept && slices.Contains(st.Stores.AcceptedSoFar(), AcceptDigest(key, v)) {
		r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), liftable)
		r.Verdict = policy.Accept
		for _, f := range r.Findings {
			r.Verdict = max(r.Verdict, f.Verdict)
		}
	}
	return r
}

// liftable reports whether a person can accept a finding. It must be about the key or the
// value, because the digest of an acceptance covers only these, and not about a secret or a
// purged value.
func liftable(f policy.Finding) bool {
	own := f.Where == "key" || f.Where == "value" || strings.HasPrefix(f.Where, "value.") || strings.HasPrefix(f.Where, "value[")
	return own && f.Rule != policy.RuleSecret && f.Rule != policy.RulePurged
}

// Objections splits the findings that withhold what stands in a store: those that nobody can
// accept, and the others.
func Objections(st *store.Store, c policy.Candidate) (never, others []policy.Finding) {
	for _, f := range st.Rule(c).Findings {
		switch {
		case f.Verdict == policy.Accept:
		case liftable(f):
			others = append(others, f)
		default:
			never = append(never, f)
		}
	}
	return never, others
}
