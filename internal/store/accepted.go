package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/gitops"
)

// Accepted lists the digests of what this person accepted on this machine.
func (ss *Stores) Accepted(ctx context.Context) []string {
	if ss.accepted != nil {
		return ss.accepted
	}
	list := []string{}
	for _, e := range ss.LookupConfig(ctx).all(accept) {
		list = append(list, strings.ToLower(strings.TrimSpace(e.Value)))
	}
	slices.Sort(list)
	ss.accepted = slices.Compact(list)
	return ss.accepted
}

// AcceptedSoFar is Accepted where that was asked for already, else nothing.
func (ss *Stores) AcceptedSoFar() []string { return ss.accepted }

// Accept records in git's configuration that this person accepts the item
// of that digest: in the repository's own configuration for what belongs to
// the repository, else in the person's.
func (st *Store) Accept(ctx context.Context, digest string) error {
	if st.DryRun() {
		st.Stores.accepted = append(slices.Clone(st.Stores.Accepted(ctx)), digest) // the act goes on with it
		return nil
	}
	st.Stores.ForgetConfig()
	if repo := st.Stores.repo; repo != nil && st.Scope != User { // a user store is read in every repository
		return repo.ChangeConfig(ctx, gitops.AddValue, accept.Name, digest)
	}
	return gitops.ChangeGlobalConfig(ctx, gitops.AddValue, accept.Name, digest)
}

// Unaccept takes an acceptance back, from wherever it stands: the repository's
// own configuration, the person's, or both. One that came from elsewhere, such
// as an included file, stays.
func (ss *Stores) Unaccept(ctx context.Context, digest string) error {
	if ss.DryRun() {
		return nil
	}
	entries := ss.LookupConfig(ctx).all(accept)
	ss.ForgetConfig()
	var failed error
	for _, e := range entries {
		switch {
		case strings.ToLower(strings.TrimSpace(e.Value)) != digest:
		case e.Level == "local" && ss.repo != nil:
			failed = errors.Join(failed, ss.repo.ChangeConfig(ctx, gitops.RemoveValue, accept.Name, e.Value))
		case e.Level == "global":
			failed = errors.Join(failed, gitops.ChangeGlobalConfig(ctx, gitops.RemoveValue, accept.Name, e.Value))
		}
	}
	return failed
}

// ForgetConfig makes what depends on git's configuration be read again.
func (ss *Stores) ForgetConfig() {
	ss.config, ss.found, ss.accepted = nil, &sync.Map{}, nil
	maps.DeleteFunc(ss.cache, func(name string, _ any) bool { return strings.HasPrefix(name, cachedMemory) })
}
