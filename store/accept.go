package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// AcceptDigest names an item by its key and value, so that an acceptance ends
// when either changes. It tells nobody what the value is that cannot guess it.
func AcceptDigest(key string, v memfile.Value) string {
	sum := sha256.Sum256([]byte(key + "\x00" + v.Canonical()))
	return hex.EncodeToString(sum[:16])
}

// Accepted lists the digests of what this person accepted on this machine.
func (ss *Stores) Accepted(ctx context.Context) []string {
	var list []string
	for _, e := range ss.lookupConfig(ctx).all(Accept) {
		list = append(list, strings.ToLower(strings.TrimSpace(e.Value)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// AcceptItem records in git's configuration that this person accepts the item:
// in the repository's own for what belongs to this repository, else in the
// person's.
func (st *Store) AcceptItem(ctx context.Context, digest string) error {
	repo := st.ss.acceptRepo(st.Scope)
	st.ss.forgetConfig()
	return repo.AddValue(ctx, Accept.Name, digest)
}

// UnacceptItem takes the acceptance back.
func (st *Store) UnacceptItem(ctx context.Context, digest string) error {
	repo := st.ss.acceptRepo(st.Scope)
	st.ss.forgetConfig()
	return repo.RemoveValue(ctx, Accept.Name, digest)
}

// forgetConfig makes what depends on git's configuration be read again.
func (ss *Stores) forgetConfig() {
	ss.config, ss.found = nil, nil
	ss.memories = map[string]*Memory{}
}

// Acceptable splits what the policy objects to in an item: the rules that a
// person can lift for themselves, and whether that would be enough. A secret is
// never lifted; and only key and value are, since the digest holds no more.
func Acceptable(r policy.Ruling) (rules []string, enough bool) {
	enough = true
	for _, f := range r.Findings {
		switch {
		case f.Verdict == policy.Accept:
		case f.Rule == policy.RuleSecret || !ownText(f.Where):
			enough = false
		case !slices.Contains(rules, f.Rule):
			rules = append(rules, f.Rule)
		}
	}
	return rules, enough
}

// ownText reports whether a place is the key's or within the value.
func ownText(where string) bool {
	return where == "key" || where == "value" || strings.HasPrefix(where, "value.") || strings.HasPrefix(where, "value[")
}
