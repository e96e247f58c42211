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
	// maxGoneNamed is how many keys a note names.
	maxGoneNamed = 3
	// maxGoneAsked bounds how often git is asked whether a commit is still here.
	maxGoneAsked = 5
)

// noteGone says what was written on this branch and is not in it any more: its
// commits were reset or rebased away, its stash dropped. Once, for the act's
// own entry is the branch's last one then. Where the memory file and the entries
// are as the last write left them, that is all that is looked at.
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
	if err != nil || !ok || last.Commit != "" && last.Commit == state.Head {
		return
	}
	t.srcID = t.st.Repo.CleanBlob(t.st.gitPath())
	same := t.src != nil && t.st.isBlob(ctx, blob, kept{t.src, t.srcID})
	if same && len(t.missing(ctx, last)) == 0 {
		return
	}
	now := NoDocument()
	if t.src != nil {
		now = t.st.historic(t.src)
	}
	list := t.goneWrites(ctx, state, branch)
	var names []string
	if !same {
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
	t.notes = append(t.notes, fmt.Sprintf("written on this branch and gone from it: %s (back with: memctl restore %s --from journal; memctl log --all shows items)", named, policy.Inert(names[0])))
}

// goneWrites lists the branch's writes whose commits it does not have any more,
// or never had, newest first, down to the newest one that it has.
func (t *transaction) goneWrites(ctx context.Context, state gitops.State, branch string) []gitops.JournalEntry {
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
