package exchange

import (
	"context"
	"maps"
	"net/url"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// commitLocal commits the uncommitted changes of the store, so that a merge sees
// only commits.
func (s *syncing) commitLocal(ctx context.Context) error {
	_, notes, err := txn.CommitPendingFile(ctx, s.st, txn.Write{Act: "sync", Wait: s.req.Wait})
	if err != nil {
		return err
	}
	s.out.Notes = append(s.out.Notes, notes...)
	return s.commitLocalEntries(ctx)
}

// commitLocalEntries commits entries that were written by hand.
func (s *syncing) commitLocalEntries(ctx context.Context) error {
	dirty, err := worktree.Uncommitted(ctx, s.st.Repo)
	if err != nil {
		return err
	}
	var entries []store.FileChange
	for _, name := range dirty {
		if !strings.HasPrefix(name, entriesFolder) {
			continue
		}
		src, err := contents.FileBytes(s.st, name)
		if err != nil {
			return err
		}
		if len(src) > maxEntryBytes {
			return safefile.TooLarge(policy.ShownPath(name), int64(len(src)), maxEntryBytes)
		}
		if found := policy.ScanFile(name, src); src != nil && len(found) > 0 {
			return txn.Secret(s.st.Scope, name, found[0])
		}
		entries = append(entries, store.FileChange{Path: name, After: src})
	}
	if len(entries) == 0 {
		return nil
	}
	return txn.CommitByHand(ctx, s.st, entries)
}

// needsMergeCommit reports whether the merge needs a commit of its own: else the store
// takes the remote's.
func (s *syncing) needsMergeCommit(m *merging, base string) bool {
	return base != s.ours || !maps.Equal(m.files, m.theirs)
}

// preview says what adopting the merge would change.
func (s *syncing) preview(ctx context.Context, m *merging, base string) error {
	s.out.Why, s.out.Taken, s.out.Sent = txn.WhyDryRun, len(s.taken), len(s.sent)
	if s.theirs == "" || base == s.theirs {
		return nil
	}
	if s.needsMergeCommit(m, base) {
		s.out.Sent++
	}
	changes, err := m.changes(ctx)
	if err != nil {
		return err
	}
	s.out.Notes = append(s.out.Notes, m.notes...)
	if !s.req.ForAgent {
		s.out.Diff = txn.Preview(ctx, s.st, changes)
	}
	return nil
}

// adopt makes the merge the store's.
func (s *syncing) adopt(ctx context.Context, m *merging, base string) error {
	changes, err := m.changes(ctx)
	if err != nil {
		return err
	}
	merge := &committer.Merge{From: s.ours, With: s.theirs, Forward: s.ours == base}
	commit, notes, err := txn.TakeExchange(ctx, s.st, txn.Write{Act: "sync", Message: s.req.Message, Wait: s.req.Wait}, changes, merge)
	s.out.Notes = append(s.out.Notes, notes...)
	if err != nil {
		return err
	}
	if s.head = commit; commit != s.theirs {
		s.out.Commit = commit
	}
	s.out.Notes = append(s.out.Notes, m.notes...)
	return nil
}

// changes are the worktree's files that the merge changes.
func (m *merging) changes(ctx context.Context) ([]store.FileChange, error) {
	var list []store.FileChange
	for _, name := range m.names() {
		if m.ours[name] == m.files[name] {
			continue
		}
		c := store.FileChange{Path: name}
		var err error
		if f := m.ours[name]; f.ID != "" {
			if c.Before, err = m.blob(ctx, name, f, memfile.MaxFileBytes); err != nil {
				return nil, err
			}
		}
		if c.After, err = m.content(ctx, name); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// remoteAddress checks an address that a person gave for a remote, and makes a
// path absolute. Errors: fault.RemoteAddress, which repeats no credentials.
func remoteAddress(ss *store.Stores, text string) (string, error) {
	shown := remotes.WithoutCredentials(text)
	switch {
	case strings.HasPrefix(text, "-"), strings.ContainsAny(text, "\n\r\x00"), strings.TrimSpace(text) == "":
		return "", fault.New(fault.RemoteAddress, shown, "is not the address of a repository")
	case strings.Contains(text, "::"):
		return "", fault.New(fault.RemoteAddress, shown, "is a command to run; memctl accepts only addresses")
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		u, err := url.Parse(text)
		if err != nil {
			return "", fault.New(fault.RemoteAddress, shown, "is not the address of a repository")
		}
		if _, has := u.User.Password(); has || strings.HasPrefix(scheme, "http") && u.User != nil && len(policy.Scan([]byte(text))) > 0 {
			return "", fault.New(fault.RemoteAddress, shown, "the address contains a password; store it in git's credential helper instead")
		}
		return text, nil
	}
	if host, _, scp := strings.Cut(text, ":"); scp && !strings.Contains(host, "/") && len(host) > 1 {
		return text, nil
	}
	return ss.Abs(text), nil
}
