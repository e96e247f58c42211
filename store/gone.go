package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// maxGoneNamed is how many keys a note names.
	maxGoneNamed = 3
	// maxGoneAsked bounds how often git is asked whether a commit is still here.
	maxGoneAsked = 5
)

// noteGone says what was written on this branch and is not in it any more: its
// commits were reset or rebased away, its stash dropped. Once, for the act's
// own entry is the branch's last one then. Where the memory file is as the last
// entry left it, that is all that is looked at.
func (t *transaction) noteGone(ctx context.Context) {
	if t.st.Repo == nil || t.w.DryRun {
		return
	}
	state, err := t.st.Repo.State()
	branch := branchRef(state)
	if err != nil || branch == "" {
		return
	}
	last, blob, ok, err := t.st.Repo.JournalLast(ctx, journalLook, branch, t.st.gitPath())
	if err != nil || !ok || last.Commit != "" && last.Commit == state.Head || t.src != nil && t.st.isBlob(ctx, blob, t.src) {
		return
	}
	src, err := t.st.Repo.Blob(ctx, blob)
	if err != nil {
		return
	}
	keys := t.goneKeys(ctx, state, branch)
	was, now := t.st.historic(src), NoDocument()
	if t.src != nil {
		now = t.st.historic(t.src)
	}
	keys = slices.DeleteFunc(keys, func(key string) bool {
		there := func(it memfile.Item) bool { return it.Key == key }
		i := slices.IndexFunc(was.Items, there)
		return i < 0 || slices.Contains(t.w.Keys, key) || slices.ContainsFunc(now.Items, there) || Tombstone(now, key) != nil
	})
	if len(keys) == 0 {
		return
	}
	named := policy.Inert(strings.Join(keys[:min(len(keys), maxGoneNamed)], ", "))
	if more := len(keys) - maxGoneNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	t.notes = append(t.notes, fmt.Sprintf("written on this branch and gone from it: %s (memctl log --all shows it; back with: memctl restore %s --from journal)", named, policy.Inert(keys[0])))
}

// goneKeys lists the keys of the branch's writes whose commits it does not have
// any more, or never had, down to the newest one that it has.
func (t *transaction) goneKeys(ctx context.Context, state gitops.State, branch string) []string {
	var list []gitops.JournalEntry
	look := journalLook
	if err := t.st.Repo.Journal(ctx, func(e gitops.JournalEntry) bool {
		if e.Branch == branch && !isFound(e) {
			list = append(list, e)
		}
		look--
		return look > 0
	}); err != nil {
		return nil
	}
	var keys []string
	asked := 0
	for _, e := range list {
		if e.Commit != "" {
			if asked++; asked > maxGoneAsked || state.Head != "" && t.st.Repo.IsAncestor(ctx, e.Commit, state.Head) {
				break
			}
		}
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" && !slices.Contains(keys, tr.Value) {
				keys = append(keys, tr.Value)
			}
		}
	}
	return keys
}
