package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// toldFile holds told.
	toldFile = "told.json"
	// maxGoneNamed is how many keys a note names.
	maxGoneNamed = 3
	// maxGoneAsked bounds how often git is asked whether a commit is still here.
	maxGoneAsked = 5
)

// noteGone says what was written on this branch and is not in it any more: its
// commits were reset or rebased away, its stash dropped; or in this worktree with no
// branch checked out, and left there. Once. Where HEAD has
// the last write, that is all that is looked at.
func (t *transaction) noteGone(ctx context.Context) {
	if t.st.Repo == nil || t.w.DryRun {
		return
	}
	state, err := t.st.Repo.State()
	branch := branchRef(state)
	if err != nil || branch == "" {
		return
	}
	place := t.st.Repo.WorktreeName()
	here := func(e gitops.JournalEntry) bool {
		return e.Branch == branch || e.Branch == "" && e.Worktree == place
	}
	last, blob, ok, err := t.st.Repo.JournalLast(ctx, journalLook, here, t.st.gitPath())
	if err != nil || !ok || last.Commit != "" && last.Commit == state.Head {
		return
	}
	t.srcID = t.st.Repo.CleanBlob(t.st.gitPath())
	if last.Commit != "" && t.st.Repo.IsAncestor(ctx, last.Commit, state.Head) {
		return
	}
	list := t.goneWrites(ctx, state, here)
	if len(list) == 0 {
		return
	}
	now := NoDocument()
	if t.src != nil {
		now = t.st.historic(t.src)
	}
	var names []string
	if t.src == nil || !t.st.isBlob(ctx, blob, kept{t.src, t.srcID}) {
		names = t.goneKeys(ctx, blob, now, list)
	}
	names = append(names, t.goneEntries(ctx, now, list)...)
	if len(names) == 0 {
		return
	}
	named := policy.Inert(strings.Join(names[:min(len(names), maxGoneNamed)], ", "))
	if more := len(names) - maxGoneNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	where := "written on this branch and gone from it"
	if list[0].Branch == "" {
		where = "written on a detached HEAD and not on this branch"
	}
	note := fmt.Sprintf("%s: %s (back with: memctl restore %s --from journal; memctl log --all shows items)", where, named, policy.Inert(names[0]))
	if !slices.Contains(t.notes, note) { // of a try before
		t.notes = append(t.notes, note)
	}
	t.tells = list[0].ID
}

// said gives the notes of an act that has come to its end, and remembers that what is
// gone was told of. Where that cannot be noted it is told again.
func (t *transaction) said() []string {
	if t.tells != "" {
		var before told
		_ = t.st.worktree().readJSON(toldFile, &before)
		before.Entry = t.tells
		_ = t.st.worktree().writeJSON(toldFile, before)
	}
	return t.notes
}

// told is what was said already.
type told struct {
	Entry  string `json:"entry"`             // the newest write of those that are gone
	NoFile string `json:"no_file,omitempty"` // of a branch without a memory file
}

// goneWrites lists the writes made here whose commits HEAD does not have any more,
// or never had, newest first, down to the newest one that it has, or that was told of.
func (t *transaction) goneWrites(ctx context.Context, state gitops.State, here func(gitops.JournalEntry) bool) []gitops.JournalEntry {
	var list []gitops.JournalEntry
	var before told
	if err := t.st.worktree().readJSON(toldFile, &before); err != nil {
		before = told{} // at worst it is said again
	}
	look := journalLook
	if err := t.st.Repo.Journal(ctx, func(e gitops.JournalEntry) bool {
		if here(e) && !isFound(e) && e.ID != before.Entry {
			list = append(list, e)
		}
		look--
		return look > 0 && e.ID != before.Entry
	}); err != nil {
		return nil
	}
	asked := 0
	for i, e := range list {
		if e.Commit != "" {
			if asked++; asked > maxGoneAsked || state.Head != "" && t.st.Repo.IsAncestor(ctx, e.Commit, state.Head) {
				return list[:i]
			}
		}
	}
	return list
}

// goneKeys are the keys of the writes that the memory file had at the last of
// them, and that it has no more, forgotten or not.
func (t *transaction) goneKeys(ctx context.Context, blob string, now memfile.Document, list []gitops.JournalEntry) []string {
	src, err := t.st.Repo.Blob(ctx, blob)
	if err != nil {
		return nil
	}
	was := t.st.historic(src)
	var keys []string
	for _, e := range list {
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" && !slices.Contains(keys, tr.Value) {
				keys = append(keys, tr.Value)
			}
		}
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		there := func(it memfile.Item) bool { return it.Key == key }
		i := slices.IndexFunc(was.Items, there)
		return i < 0 || slices.Contains(t.w.Keys, key) || slices.ContainsFunc(now.Items, there) || Tombstone(now, key) != nil
	})
}

// goneEntries are the short ids of the writes' entries whose files are gone,
// and that were not forgotten since.
func (t *transaction) goneEntries(ctx context.Context, now memfile.Document, list []gitops.JournalEntry) []string {
	forgotten, err := t.st.forgotten(now)
	if err != nil {
		return nil
	}
	var ids []string
	known := slices.Clone(t.w.Keys)
	for _, e := range list {
		for name, blob := range t.missing(ctx, e) {
			src, err := t.st.Repo.Blob(ctx, blob)
			f, _ := entry.Parse(name, src)
			if err != nil || f == nil || slices.Contains(known, f.Entry().ID) || forgotten.Text(f.Entry().Text) {
				continue
			}
			known = append(known, f.Entry().ID)
			ids = append(ids, entry.ShortID(f.Entry().ID))
		}
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" {
				known = append(known, tr.Value) // what came before this write is not looked at
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// missing are the files of entries that a write left and that stand no more,
// neither in their place nor among the deleted ones: the path from the store's
// folder, to the blob's id.
func (t *transaction) missing(ctx context.Context, e gitops.JournalEntry) map[string]string {
	files, err := t.st.Repo.JournalFiles(ctx, e)
	if err != nil || len(files) < 2 {
		return nil // the memory file alone
	}
	root, err := t.st.openRoot()
	if root == nil || err != nil {
		return nil
	}
	defer root.Close()
	gone := map[string]string{}
	for file, blob := range files {
		name := t.st.ownPath(file)
		if p, ok := entry.ParsePath(name); !ok || p.Deleted {
			continue
		}
		if _, err := root.Lstat(name); err == nil {
			continue
		}
		if _, err := root.Lstat(entry.DeletedPath(name)); err != nil {
			gone[name] = blob
		}
	}
	return gone
}
