package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/ledger"
)

// maxPassed is how many of the acts that an undo passes over are named.
const maxPassed = 5

// passedNotes names the acts that undo passes over, and counts the rest of a long list.
func (u *undoing) passedNotes() []string {
	if len(u.passed) <= maxPassed {
		return u.passed
	}
	return append(slices.Clone(u.passed[:maxPassed]), fmt.Sprintf("undo skips %d more changes", len(u.passed)-maxPassed))
}

// offBranch says where an act was made whose commit this branch does not have; "" where
// something that it changed is still as the act left it, as after a rebase.
func (u *undoing) offBranch(ctx context.Context, doc *memfile.Document) string {
	if doc == nil {
		return ""
	}
	undone := map[string]bool{} // by what the changes are about: an item and its tombstone are one thing
	for _, c := range u.changes() {
		_, after := u.stands(*doc, c)
		undone[c.about()] = undone[c.about()] || !after
	}
	for _, is := range undone {
		if !is {
			return ""
		}
	}
	branch := ""
	err := ledger.JournalEntries(ctx, u.store, func(e committer.JournalEntry) bool {
		if e.Commit != u.record.Commit {
			return true
		}
		branch = strings.TrimPrefix(e.Branch, "refs/heads/")
		return false
	})
	state, stateErr := u.store.Repo.State()
	if branch == "" || errors.Join(err, stateErr) != nil || branch == state.Branch {
		return "its commit is not on this branch any more"
	}
	return "was made on branch " + policy.Inert(branch)
}

// allPurged reports whether the act has nothing that undo could bring back: each value
// that it changed was purged.
func (u *undoing) allPurged(doc *memfile.Document) bool {
	if doc == nil || len(u.changes()) == 0 {
		return false
	}
	purged := map[string]bool{}
	for _, c := range u.changes() {
		_, after := u.stands(*doc, c)
		purged[c.about()] = purged[c.about()] || c.purged(after)
	}
	for _, is := range purged {
		if !is {
			return false
		}
	}
	return true
}

// purged reports whether a purge took out what the change would bring back, or what it
// wrote that does not stand any more.
func (c change) purged(stands bool) bool {
	if c.file != nil {
		return slices.ContainsFunc([][]byte{c.file.Before, c.file.After}, func(src []byte) bool {
			e := entry.In(c.file.Path, src)
			return e != nil && policy.OnlyGone(memfile.Str(e.Text))
		})
	}
	d := c.delta
	gone := func(it *memfile.Item) bool { return it != nil && memory.NotPurged(it.Value) != nil }
	return gone(d.Before) || !stands && gone(d.After) || d.TombAfter != nil && purgedTombstone(*d.TombAfter)
}
