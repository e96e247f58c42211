package undo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// nothingLeft says why nothing of the act is left to take back here: it changed nothing, all
// of it is as it was before it, it was made on another branch, or it was purged; "" where something is left, or nobody can tell.
func (u *undoing) nothingLeft(ctx context.Context) (string, error) {
	doc, err := u.now(ctx)
	switch {
	case err != nil:
		return "", err
	case u.gone && !u.allPurged(doc):
		return u.offBranch(ctx, doc), nil
	case u.record.Act == "resolve" && u.record.Commit == "":
		return u.resolutionAbandoned(), nil
	case len(u.changes) == 0 && u.known():
		return "changed no item", nil
	case doc != nil && u.known() && u.each(*doc, func(_ change, before, _ bool) bool { return before }):
		return "is undone already", nil
	case u.allPurged(doc):
		return "was purged", nil
	}
	return "", nil
}

// known reports whether the memory before and after the act can be read.
func (u *undoing) known() bool {
	_, _, ok := u.record.Documents()
	return ok
}

// resolutionAbandoned is nothingLeft for a conflict that was resolved in the middle of something of git's:
// no file is as the resolution left it, as after a merge that was given up.
func (u *undoing) resolutionAbandoned() string {
	for _, f := range u.record.Sums {
		if now, err := contents.FileBytes(u.store, f.Path); err != nil || contents.DigestOf(now) == f.After {
			return ""
		}
	}
	return "no file is as it left it"
}

// now is the memory as it stands; nil where the file cannot be read. One that was lost
// with what the act left in it is an error: the act is not taken back by that, and undo
// takes back nothing older in its place.
func (u *undoing) now(ctx context.Context) (*memfile.Document, error) {
	m, err := contents.Read(ctx, u.store)
	if err != nil || m.Salvaged || m.Foreign {
		return nil, err
	}
	if !m.Exists {
		if missing := txn.Missing(ctx, u.store); missing.Way != "" {
			return nil, missing
		}
	}
	doc, err := contents.Document(ctx, u.store)
	return &doc, err
}

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
	if doc == nil || !u.each(*doc, func(_ change, _, after bool) bool { return !after }) {
		return ""
	}
	branch := ""
	err := ledger.JournalEntries(ctx, u.store, func(e committer.JournalEntry) bool {
		if e.Commit != u.record.Commit {
			return true
		}
		branch = e.Branch
		return false
	})
	state, stateErr := u.store.Repo.State()
	if branch == "" || errors.Join(err, stateErr) != nil || branch == ledger.BranchRef(state) {
		return "its commit is not on this branch any more"
	}
	return "was made on branch " + policy.Inert(strings.TrimPrefix(branch, "refs/heads/"))
}

// allPurged reports whether the act has nothing that undo could bring back: each value
// that it changed was purged.
func (u *undoing) allPurged(doc *memfile.Document) bool {
	return doc != nil && len(u.changes) > 0 && u.each(*doc, func(c change, _, after bool) bool {
		return c.purged() || !after && c.After != nil && memory.NotPurged(c.After.Value) != nil
	})
}

// each reports whether a change of each item and each entry of the act is so. An item and its tombstone are one thing.
func (u *undoing) each(doc memfile.Document, is func(c change, before, after bool) bool) bool {
	all := map[string]bool{}
	for _, c := range u.changes {
		before, after := u.present(doc, c)
		all[c.subject()] = all[c.subject()] || is(c, before, after)
	}
	return !slices.Contains(slices.Collect(maps.Values(all)), false)
}
