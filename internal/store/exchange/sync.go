// Package exchange syncs a private or user store with its remote: it fetches, merges by key,
// scans for secrets and pushes.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/gitops/rewrite"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Request is one exchange of a store of our own with its remote.
type Request struct {
	Remote   string // a new address for the remote; "" keeps the one that is set
	Message  string // the person's own words for the merge commit
	ForAgent bool   // the answer is an agent's, and has no diff
	Tidy     bool   // afterwards the store's objects are packed, where it is time
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
	Before memfile.Document
	After  memfile.Document
	// Entries are the files of facts, summaries, notes and turns that changed here: true
	// where one is gone now.
	Entries map[string]bool
	Diff    string // in a dry run: a unified diff of the memory file
	Notes   []fault.Note
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

// Sync brings the store and its remote to the same: what waits is committed,
// the remote's branch fetched, both merged by meaning in a commit of two
// parents, and the result pushed, never by force. Where somebody else was
// faster it begins again, a bounded number of times. The lock is held while
// the store changes, and not while the network is spoken to.
//
// Errors: fault.Scope, fault.NoRemote, fault.RemoteAddress, fault.NotAStore,
// fault.RemoteBranches, fault.RemoteBusy, fault.RemoteUnpurged, fault.RemoteOfAnother, fault.Secret, fault.Remote,
// fault.Blocked, and those of Update. What was merged before an error
// stays merged.
func Sync(ctx context.Context, st *store.Store, req Request) (out Result, failed error) {
	if st.Scope != store.User && st.Scope != store.Private {
		return Result{}, fault.New(fault.Scope, st.Scope, "is exchanged by git pull and git push; memctl sync handles only private and user stores")
	}
	if st.DryRun() && st.Repo != nil { // what the remote has is kept for as long as the dry run takes
		q, end, err := st.Repo.Quarantine()
		if err != nil {
			return Result{}, st.Unwritable(err)
		}
		defer func() { failed = errors.Join(failed, end()) }()
		quarantined := *st
		quarantined.Repo, st = q, &quarantined
	}
	s := &syncing{st: st, req: req}
	st.MendLocks(ctx)
	if err := s.connect(ctx); err != nil || s.out.Why != "" {
		return s.out, err
	}
	defer st.Changed()
	for try := range syncTries {
		err := s.round(ctx)
		if !fault.Is(err, fault.Moved) {
			if err == nil && req.Tidy {
				s.tidy(ctx)
			}
			return s.out, err
		}
		select {
		case <-ctx.Done():
			return s.out, ctx.Err()
		case <-time.After(time.Duration(try+1) * (syncPause/2 + rand.N(syncPause))):
		}
	}
	return s.out, fault.New(fault.RemoteBusy, s.out.Remote, fmt.Sprintf("no push was taken, %d times in a row: another machine pushed first, or a git that was killed left a .lock file in the remote", syncTries))
}

// tidy packs the store's objects: each write leaves some, and git does so by
// itself only where a person commits. The exchange is done by now, so that
// what keeps git from it is a note. In a hook of git's nobody waits for it.
func (s *syncing) tidy(ctx context.Context) {
	if s.st.DryRun() || os.Getenv("GIT_INDEX_FILE") != "" || os.Getenv("GIT_DIR") != "" {
		return
	}
	if err := rewrite.Tidy(ctx, s.st.Repo); err != nil {
		s.out.Notes = append(s.out.Notes, fault.NewNote("objects-unpacked", "the store's objects were not packed: "+err.Error()))
	}
}

// syncing is one Sync under way.
type syncing struct {
	st     *store.Store
	req    Request
	out    Result
	remote string // ourRemote; the address of a new one until it is found to be a memory's
	read   bool   // out.Before is set
	// Of the round under way: the commits of both sides, and where this store
	// stands after the merge. "" is a side without commits.
	ours, theirs, head string
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
	// A look at another address than the store's remote changes nothing: the check knows all that is shown of it.
	if err := s.check(ctx); err != nil || s.st.DryRun() && s.remote != ourRemote {
		return err
	}
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
	if err := remotes.Push(ctx, s.st.Repo, s.req.Network, ourRemote, s.head, s.out.Branch); err != nil {
		return err
	}
	sent, err := remotes.Ahead(ctx, s.st.Repo, s.head, s.theirs)
	s.out.Sent = sent
	return errors.Join(err, s.follow(ctx))
}

// fetch brings the remote's commits here. A dry run moves no ref.
func (s *syncing) fetch(ctx context.Context) (err error) {
	switch {
	case s.theirs == "" || remotes.Tracked(ctx, s.st.Repo, ourRemote, s.out.Branch) == s.theirs:
	case s.st.DryRun():
		err = remotes.FetchObjects(ctx, s.st.Repo, s.req.Network, ourRemote, s.out.Branch, s.theirs)
	default:
		s.theirs, err = remotes.Fetch(ctx, s.st.Repo, s.req.Network, ourRemote, s.out.Branch)
	}
	return err
}

// join merges the remote's commits into the store, under its lock.
func (s *syncing) join(ctx context.Context) error {
	unlock, err := s.st.Lock(ctx, s.req.Wait, "sync")
	if err != nil {
		return err
	}
	defer unlock()
	s.st.Stores.Remember(store.CachedMemory(s.st.Scope), nil)
	if err := s.commitLocal(ctx); err != nil {
		return err
	}
	state, err := s.st.Repo.State()
	if err != nil {
		return err
	}
	s.ours, s.head = state.Head, state.Head
	bases, err := s.bases(ctx)
	if err != nil {
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
	ahead, taken, err := s.scanMessages(ctx)
	if err = errors.Join(m.scan(ctx), err); err != nil {
		return err
	}
	if s.st.DryRun() {
		return s.preview(ctx, m, base, Result{Taken: taken, Sent: ahead})
	}
	if s.theirs == "" || base == s.theirs {
		return nil
	}
	if err := s.adopt(ctx, m, base); err != nil {
		return err
	}
	s.out.Taken += taken
	return nil
}

// bases are the commits where both histories parted; none where they have none
// in common.
func (s *syncing) bases(ctx context.Context) ([]string, error) {
	if s.ours == "" || s.theirs == "" {
		return nil, nil
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
