// Package exchange syncs a private or user store with its remote: it fetches, merges by key,
// scans for secrets and pushes.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/gitops/rewrite"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/policy"
)

// Request is one exchange of a store of our own with its remote.
type Request struct {
	Remote   string // a new address for the remote; "" keeps the one that is set
	Message  string // the person's own words for the merge commit
	ForAgent bool   // the answer is an agent's, and has no diff
	Wait     time.Duration
	Network  remotes.Network
}

// Result is what became of an exchange.
type Result struct {
	Remote string // the address, without credentials
	Branch string // the remote's branch
	Taken  int    // commits that the remote had and this store did not
	Sent   int    // commits that this store had and the remote did not, the merge among them
	Commit string // of the merge, "" where none was needed
	Why    string // "", WhyUnchanged or WhyDryRun
	Diff   string // in a dry run: a unified diff of the memory file
	Notes  []fault.Note
}

const (
	ourRemote = "origin"
	// syncTries bounds how often a push that came second is merged again.
	syncTries = 8
	syncPause = 100 * time.Millisecond
)

// NoRemote is the error of a store of our own that has no remote yet.
func NoRemote(scope string) error {
	return &fault.Error{Code: fault.NoRemote, Thing: scope, Cause: "this store has no remote", Scope: scope}
}

// Where a secret is that an exchange would have spread: the reasons in fault.Secret.
const (
	SecretInMessage = "in a commit's message"
	SecretAtRemote  = "in a file at the remote"
)

// secretInFile is the error of a secret that an exchange would have spread, in a file of this
// store's commits (ours) or of the remote's.
func secretInFile(scope, path string, found policy.Finding, ours bool) error {
	where, what, why := txn.NameIn(scope, path), "its path contains a secret", ""
	if found.Line > 0 {
		where, what = fmt.Sprintf("%s: line %d", where, found.Line), "contains a secret"
	}
	if !ours {
		why = SecretAtRemote
	}
	return secret(scope, where, what, found, why, ours)
}

// secretInMessage is secretInFile for the message of a commit.
func secretInMessage(scope, commit string, found policy.Finding, ours bool) error {
	where := fmt.Sprintf("commit %s of scope %s", commit[:min(len(commit), 7)], scope)
	return secret(scope, where, "its message contains a secret", found, SecretInMessage, ours)
}

func secret(scope, where, what string, found policy.Finding, why string, ours bool) error {
	so := "so nothing is pushed"
	if !ours {
		where, so = where+" at the remote", "so nothing is merged"
	}
	return &fault.Error{Code: fault.Secret, Scope: scope, Why: why, Cause: fmt.Sprintf("%s: %s (%s), %s", where, what, found.Kind, so)}
}

// Sync synchronises the store with its remote. It commits pending changes, fetches the
// remote's branch, merges both in a commit of two parents, and pushes without force. If
// another machine pushes first, it starts again, a bounded number of times. It holds the lock
// while the store changes, not during network calls. Fetched commits change no branch and no
// file before all were checked. A dry run fetches too.
//
// Errors: fault.Scope, fault.NoRemote, fault.RemoteAddress, fault.NotAStore,
// fault.RemoteBranches, fault.RemoteBusy, fault.RemoteUnpurged, fault.RemoteOfAnother, fault.Secret, fault.Remote,
// fault.Blocked, and those of Update. What was merged before an error
// stays merged.
func Sync(ctx context.Context, st *store.Store, req Request) (Result, error) {
	if st.Scope != store.User && st.Scope != store.Private {
		return Result{}, fault.New(fault.Scope, st.Scope, "is exchanged by git pull and git push; memctl sync handles only private and user stores")
	}
	s := &syncing{st: st, req: req}
	st.MendLocks(ctx)
	if err := s.connect(ctx); err != nil || s.out.Why != "" {
		return s.out, err
	}
	defer st.DropCache()
	for try := range syncTries {
		err := s.round(ctx)
		// A push that another one holds up is refused too, before the other's commit can be seen.
		if refused := fault.Why(err, fault.Remote) == remotes.WhyRemoteRefused; !fault.Is(err, fault.Moved) && (!refused || try > 0) {
			return s.out, err
		}
		select {
		case <-ctx.Done():
			return s.out, ctx.Err()
		case <-time.After(time.Duration(try+1) * (syncPause/2 + rand.N(syncPause))):
		}
	}
	return s.out, fault.New(fault.RemoteBusy, s.out.Remote, fmt.Sprintf("no push was taken, %d times in a row: another machine pushed first", syncTries))
}

// syncing is one Sync under way.
type syncing struct {
	st     *store.Store
	req    Request
	out    Result
	remote string // ourRemote; the address of a new one until it is found to be a memory's
	// Of the round under way: the commits of both sides, and where this store
	// stands after the merge. "" is a side without commits.
	ours, theirs, head string
	sent, taken        []remotes.CommitMessage // the commits that one side has and the other has not
	fetched            bool
}

// round is one try: fetch, merge, push. Error: fault.Moved where another
// one may do.
func (s *syncing) round(ctx context.Context) error {
	heads, err := remotes.Heads(ctx, s.st.Repo, s.req.Network, s.remote)
	if err != nil {
		return err
	}
	if s.out.Branch, err = s.branch(ctx, heads); err != nil {
		return err
	}
	s.theirs = heads.Heads[s.out.Branch]
	if err := s.fetch(ctx); err != nil {
		return err
	}
	if err := s.join(ctx); err != nil || s.st.DryRun() {
		return err
	}
	if s.head == s.theirs {
		if s.out.Taken+s.out.Sent == 0 {
			s.out.Why = txn.WhyUnchanged
		}
		return nil
	}
	if err := remotes.Push(ctx, s.st.Repo, s.req.Network, ourRemote, s.head, s.out.Branch, s.theirs); err != nil {
		return err
	}
	if s.out.Sent = len(s.sent); s.head != s.ours {
		s.out.Sent++
	}
	return s.follow(ctx)
}

// fetch brings the commits of the remote that are not here.
func (s *syncing) fetch(ctx context.Context) error {
	repo := s.st.Repo
	if state, err := repo.State(); err != nil || s.theirs == "" || s.theirs == state.Head || s.theirs == remotes.Tracked(ctx, repo, ourRemote, s.out.Branch) {
		return err
	}
	if err := s.unpurged(ctx, false); err != nil {
		return err
	}
	tip, err := remotes.Fetch(ctx, repo, s.req.Network, s.remote, s.out.Branch)
	s.theirs, s.fetched = tip, err == nil
	return err
}

// endFetch notes where the remote is now. If its history was refused, its objects are deleted; a dry run, which has
// no lock, leaves them to git's own cleaning.
func (s *syncing) endFetch(ctx context.Context, refused error) error {
	if refused == nil && !s.st.DryRun() {
		return remotes.EndFetch(ctx, s.st.Repo, ourRemote, s.out.Branch, s.theirs)
	}
	err := remotes.EndFetch(ctx, s.st.Repo, ourRemote, s.out.Branch, "")
	unwanted := func(code string) bool { return fault.Is(refused, code) }
	if s.fetched && !s.st.DryRun() && slices.ContainsFunc([]string{fault.RemoteUnpurged, fault.RemoteOfAnother, fault.NotAStore, fault.Secret}, unwanted) {
		err = errors.Join(err, rewrite.Prune(ctx, s.st.Repo))
	}
	return err
}

// join merges the remote's commits into the store, under its lock.
func (s *syncing) join(ctx context.Context) (err error) {
	unlock, err := s.st.Lock(ctx, s.req.Wait, "sync")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.endFetch(ctx, err), unlock()) }()
	s.st.DropCache()
	if err := s.commitLocal(ctx); err != nil {
		return err
	}
	state, err := s.st.Repo.State()
	if err != nil {
		return err
	}
	if s.ours, s.head = state.Head, state.Head; s.ours == s.theirs {
		if s.st.DryRun() {
			return s.preview(ctx, nil, s.theirs)
		}
		return s.setRemote(ctx)
	}
	if s.sent, s.taken, err = remotes.NewMessages(ctx, s.st.Repo, s.ours, s.theirs); err != nil {
		return err
	}
	bases, err := s.bases(ctx)
	if err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	m, err := s.merge(ctx, bases)
	if err != nil {
		return err
	}
	base := "" // the one commit where both parted
	if len(bases) == 1 {
		base = bases[0]
	}
	if err = errors.Join(m.scan(ctx), s.scanMessages()); err != nil {
		return err
	}
	if s.st.DryRun() {
		return s.preview(ctx, m, base)
	}
	if err := s.setRemote(ctx); err != nil {
		return err
	}
	if s.theirs == "" || base == s.theirs {
		return nil
	}
	if err := s.adopt(ctx, m, base); err != nil {
		return err
	}
	s.out.Taken += len(s.taken)
	_ = committer.Maintain(ctx, s.st.Repo, true) // the next act tries again
	return nil
}

// bases are the commits where both histories parted; none where they have none
// in common.
func (s *syncing) bases(ctx context.Context) ([]string, error) {
	switch {
	case s.ours == "" || s.theirs == "":
		return nil, nil
	case len(s.taken) == 0:
		return []string{s.theirs}, nil
	case len(s.sent) == 0:
		return []string{s.ours}, nil
	}
	return object.MergeBases(ctx, s.st.Repo, s.ours, s.theirs)
}

// Unsent counts the commits that the store has and its remote had not when it
// was last seen.
func Unsent(ctx context.Context, st *store.Store) (int, error) {
	state, err := st.Repo.State()
	if err != nil || state.Unborn {
		return 0, err
	}
	branch := remotes.Upstream(ctx, st.Repo, state.Branch)
	if branch == "" {
		branch = state.Branch
	}
	ahead, err := remotes.Ahead(ctx, st.Repo, state.Head, remotes.Tracked(ctx, st.Repo, ourRemote, branch))
	return ahead, err
}
