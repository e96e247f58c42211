package exchange

import (
	"context"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/gitops/rewrite"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
)

// connect makes the store where it is still to be made, and says which remote
// it is exchanged with.
func (s *syncing) connect(ctx context.Context) error {
	st := s.st
	if s.remote = ourRemote; s.req.Remote == "" {
		if s.out.Remote = Remote(ctx, st); s.out.Remote == "" {
			return NoRemote(st.Scope)
		}
		return nil
	}
	address, err := remoteAddress(st.Stores, s.req.Remote)
	if err != nil {
		return err
	}
	s.out.Remote = remotes.WithoutCredentials(address)
	if st.Repo == nil || remotes.RemoteURL(ctx, st.Repo, ourRemote) != address {
		if err := s.checkUnclaimed(ctx, address); err != nil {
			return err
		}
	}
	if st.DryRun() && st.Repo == nil {
		s.out.Why = txn.WhyDryRun
		s.out.Notes = append(s.out.Notes, fault.NewNote("would-create-store", "sync would create the store, set the remote, and merge what the remote has"))
		return nil
	}
	if err := st.Ensure(ctx); err != nil {
		return err
	}
	if st.Repo == nil {
		return gitops.Blocked(gitops.WhyGitMissing, "")
	}
	if remotes.RemoteURL(ctx, st.Repo, ourRemote) != address {
		s.remote = address
	}
	return nil
}

// check looks at what the remote has before anything of it is let in: no history
// that was purged here, and at a new address nothing but a memory of this scope. Errors: fault.RemoteUnpurged,
// fault.RemoteOfAnother.
func (s *syncing) check(ctx context.Context) error {
	if err := s.unpurged(ctx, true); err != nil || s.remote == ourRemote {
		return err
	}
	return s.ofScope(ctx)
}

// Remote is the address of the store's remote as it may be shown, without
// credentials; "" where it has none.
func Remote(ctx context.Context, st *store.Store) string {
	if st.Repo == nil {
		return ""
	}
	return remotes.WithoutCredentials(remotes.RemoteURL(ctx, st.Repo, ourRemote))
}

// branch chooses the remote's branch: the one that ours follows, else the one
// of the same name, the remote's own default, or its only one.
func (s *syncing) branch(ctx context.Context, heads remotes.RemoteHeads) (string, error) {
	state, err := s.st.Repo.State()
	if err != nil {
		return "", err
	}
	if state.Branch == "" {
		return "", gitops.Blocked(store.WhyDetached, s.st.Dir)
	}
	has := func(name string) bool { return heads.Heads[name] != "" }
	upstream := remotes.Upstream(ctx, s.st.Repo, state.Branch)
	switch {
	case upstream != "" && (has(upstream) || len(heads.Heads) == 0):
		return upstream, nil
	case has(state.Branch), len(heads.Heads) == 0:
		return state.Branch, nil
	case has(heads.Default):
		return heads.Default, nil
	}
	var names []string
	for name := range heads.Heads {
		names = append(names, name)
	}
	for _, usual := range []string{"main", "master"} {
		if has(usual) {
			return usual, nil
		}
	}
	if len(names) == 1 {
		return names[0], nil
	}
	slices.Sort(names)
	e := fault.New(fault.RemoteBranches, s.out.Remote, "has several branches, but none with the name of the local branch")
	for _, name := range names[:min(len(names), 3)] {
		e.Hints = append(e.Hints, "git -C "+shell.Quote(s.st.Dir)+" config branch."+state.Branch+".merge refs/heads/"+name)
	}
	return "", e
}

// setRemote makes a new address the store's remote, once it is found to be a memory's.
func (s *syncing) setRemote(ctx context.Context) error {
	address := s.remote
	if s.remote = ourRemote; address == ourRemote {
		return nil
	}
	return remotes.SetRemote(ctx, s.st.Repo, ourRemote, address)
}

// follow makes the branch follow the remote's, for a person's own git there.
func (s *syncing) follow(ctx context.Context) error {
	state, err := s.st.Repo.State()
	if err != nil || state.Branch == "" || remotes.Upstream(ctx, s.st.Repo, state.Branch) == s.out.Branch {
		return err
	}
	return remotes.SetUpstream(ctx, s.st.Repo, state.Branch, ourRemote, s.out.Branch)
}

// unpurged refuses a remote that still has what was purged here. Before its commits were fetched a tip may tell already.
// Error: fault.RemoteUnpurged.
func (s *syncing) unpurged(ctx context.Context, fetched bool) error {
	known, err := localstate.Purged(s.st).Read()
	if err != nil || s.theirs == "" {
		return err
	}
	state, err := s.st.Repo.State()
	if err != nil {
		return err
	}
	// A purge that was cut short may not have replaced them yet.
	tip := slices.Contains(known.Tips, s.theirs) && !object.IsAncestor(ctx, s.st.Repo, s.theirs, state.Head)
	if !tip && (!fetched || !slices.ContainsFunc(s.taken, func(c remotes.CommitMessage) bool { return slices.Contains(known.First, c.Commit) })) {
		return nil
	}
	e := fault.New(fault.RemoteUnpurged, s.out.Remote, "branch "+s.out.Branch+" still has the history that a purge replaced here, so memctl neither merges nor pushes")
	if !tip {
		e.Cause += "; it also has newer commits, which a forced push would remove"
	}
	if state.Head != "" {
		e.RestoreCommand = rewrite.PushOver(s.st.Repo, remotes.WithoutCredentials(s.remote), s.out.Branch, s.theirs, state.Head)
	}
	return e
}
