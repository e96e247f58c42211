package txn

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/policy"
)

const (
	// editSubject names the commit of a person's own edit.
	editSubject = "edit by hand"
	// largeFolder is the number of files above which an act on items alone does not look
	// for edits in a folder: with 10,000 facts the look costs half of what the act does.
	largeFolder = 2000
)

// commitEdit commits what a person left uncommitted in a sound memory file and in the
// entries beside it, in one commit.
func (t *transaction) commitEdit(ctx context.Context) error {
	if t.st.Repo == nil {
		return nil
	}
	edits, err := t.editedFile(ctx)
	if err != nil || t.blocked != "" {
		return err // an edit that is not committed now stays with the write that follows
	}
	entries, err := t.editedEntries(ctx)
	if err != nil || t.blocked != "" || len(edits)+len(entries) == 0 {
		return err
	}
	all := slices.Concat(edits, entries)
	if _, err := t.commitChanges(ctx, all, editSubject, "", editTrailers(t.st)); err != nil {
		t.blocked = commitFault(err)
		return nil
	}
	reviewed := t.reviewedBy(ctx, edits, entries)
	t.noteEdit(ctx, edits, entries)
	t.editCommitted(all)
	if len(reviewed) > 0 {
		t.notes = append(t.notes, fault.NewNote("edit-reviewed", "your own edit was committed, so these now count as reviewed on this machine: "+namedFew(reviewed)+" (`memctl confirm --undo KEY` hides one from sessions)"))
	}
	return nil
}

// besideStated is the file as an agent's act finds it: where somebody changed the value of a stated item by hand, an agent may
// have done so with its own tools. The person's value is in force again, and the other is in the item's conflict.
func (t *transaction) besideStated(ctx context.Context, file *memfile.File) (*memfile.File, error) {
	next, err := t.withStated(file, t.openEdits(ctx, file.Document()))
	if err != nil || next == file || t.blocked != "" || t.st.DryRun() {
		return next, err
	}
	change := []store.FileChange{{Path: memfile.FileName, Before: t.src, After: next.Bytes()}}
	if err := putUnless(ctx, t.st, change); err != nil {
		if name, ok := changedByOthers(err); ok {
			err = changedMeanwhile(name)
		}
		return nil, err
	}
	t.src = next.Bytes()
	return next, nil
}

// openEdits are the changes by hand that an agent's act may not take for the person's.
func (t *transaction) openEdits(ctx context.Context, doc memfile.Document) map[string]*contents.Edit {
	if !t.w.byAgent() || t.st.Scope != store.Project || t.st.Repo == nil {
		return nil
	}
	if state, err := worktree.StateOf(ctx, t.st.Repo, t.st.GitPath()); err != nil || state.Conflict {
		return nil // what may not be looked at is not committed either, and a merge brought the values
	}
	return contents.OpenEdits(ctx, t.st, doc)
}

// withStated is the file with the person's values in force, and the edits beside them; the file itself if there are none.
func (t *transaction) withStated(file *memfile.File, edits map[string]*contents.Edit) (*memfile.File, error) {
	if len(edits) == 0 {
		return file, nil
	}
	doc := file.Document()
	for i, it := range doc.Items {
		if e := edits[it.Key]; e != nil && !memfile.Equal(e.Was.Value, it.Value) {
			rival := contents.ByHand(it).Rival()
			rival.Added = t.st.Stores.Today()
			was := e.Was
			was.Line, was.Column = it.Line, it.Column
			was.Conflict = merge.AddRival(was.Conflict, rival)
			doc.Items[i] = was
		}
	}
	t.notes = append(t.notes, fault.NewNote("edit-waits", "in "+t.st.Name()+", a value that the person stated was changed by hand: the new value waits for the person (memctl review)"))
	return patch.Rewritten(file, doc)
}

// editCommitted tells the person that their own edit has a commit of its own.
func (t *transaction) editCommitted(edits []store.FileChange) {
	t.st.Stores.Talk("note: your own edit of " + editedNames(t.st, edits) + t.st.Stores.Said(" was", " would be") + " committed first")
}

// reviewedBy names the items and entries that count as reviewed only because the person's
// edit is committed, under trust reviewed. The person has to know, because the edit may
// have come with `git merge --squash`.
func (t *transaction) reviewedBy(ctx context.Context, edits, entries []store.FileChange) (names []string) {
	if t.w.byAgent() || t.st.Scope != store.Project || t.st.Stores.TrustLevel(ctx) != store.TrustReviewed {
		return nil
	}
	reviewed := contents.LoadReviewed(ctx, t.st.Stores)
	for _, c := range edits {
		for _, d := range memfile.Diff(contents.OldDocument(t.st, c.Before), contents.OldDocument(t.st, c.After)) {
			if d.After != nil && !reviewed.HasItem(&contents.Item{Item: *d.After}) {
				names = append(names, policy.Inert(d.Key))
			}
		}
	}
	for _, c := range entries {
		if p, ok := entry.ParsePath(c.Path); ok && c.After != nil && !reviewed.HasEntry(ctx, t.st, c.Path, c.After) {
			names = append(names, policy.Inert(entry.ShortID(p.ID)))
		}
	}
	return names
}

// editedFile is the memory file as a person left it uncommitted. It is empty where the
// file is as HEAD has it, and where it contains a secret.
func (t *transaction) editedFile(ctx context.Context) ([]store.FileChange, error) {
	state, err := worktree.StateOf(ctx, t.st.Repo, t.st.GitPath())
	if t.cannotLook(err) {
		return nil, nil
	}
	if err != nil || !state.Dirty {
		return nil, err
	}
	if secrets := policy.Scan(t.src); len(secrets) > 0 {
		t.secret = Secret(t.st.Scope, t.st.Name(), secrets[0])
		if t.w.Clean {
			return nil, store.Deferred("a secret in an uncommitted edit", "")
		}
		return nil, nil
	}
	before, found, _ := contents.StoredAt(ctx, t.st, "HEAD") // none: all of it is the person's
	if found && bytes.Equal(before, t.src) {
		return nil, nil // only the index has it otherwise
	}
	return []store.FileChange{{Path: memfile.FileName, Before: before, After: t.src}}, nil
}

// editedEntries are the entries in git that a person has changed or removed by hand. Files
// that cannot be read as entries are not among them, nor those with a secret: a note names
// each of these.
func (t *transaction) editedEntries(ctx context.Context) (edits []store.FileChange, err error) {
	largest := largeFolder
	if t.w.Files {
		largest = 0
	}
	paths, err := worktree.EditedUnder(ctx, t.st.Repo, t.st.GitPathOf(entry.Root), largest)
	if t.cannotLook(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, p := range append(paths, t.changedNew(ctx)...) {
		name := contents.PathInStore(t.st, p)
		if _, ok := entry.ParsePath(name); !ok {
			continue
		}
		src, err := contents.FileBytes(t.st, name)
		if err != nil {
			continue // a link or a folder has taken its place
		}
		if found := policy.Scan(src); len(found) > 0 {
			note := fault.NewNote("entry-has-secret", Secret(t.st.Scope, name, found[0]).Error())
			if !slices.Contains(t.notes, note) {
				t.notes = append(t.notes, note)
			}
			continue
		}
		if f, _ := entry.Parse(name, src); f != nil || src == nil {
			before, _, _ := contents.AsWritten(ctx, t.st.Repo, "HEAD", p) // none: the file is new
			edits = append(edits, store.FileChange{Path: name, Before: before, After: src})
		}
	}
	return edits, nil
}

// changedNew are new files of acts that waited, which somebody has changed since: they are
// not as the act wrote them, so they are an edit.
func (t *transaction) changedNew(ctx context.Context) (paths []string) {
	for _, p := range t.pendingPaths {
		if s, err := worktree.StateOf(ctx, t.st.Repo, p); err == nil && s.Dirty && !s.Tracked && p != t.st.GitPath() {
			paths = append(paths, p)
		}
	}
	return paths
}

// cannotLook reports whether git refused to look at the files. What may not look does not
// commit either.
func (t *transaction) cannotLook(err error) bool {
	why := gitops.BlockedBy(err)
	t.blocked = cmp.Or(t.blocked, why)
	return why != ""
}

// noteEdit remembers a person's own edit as written on this machine. An edit that an
// agent's command commits does not count: it may have come with a merge or from the
// agent itself, and the person has not looked at it.
func (t *transaction) noteEdit(ctx context.Context, memory, entries []store.FileChange) {
	if t.w.byAgent() {
		return
	}
	var deltas []memfile.Delta
	for _, c := range memory {
		deltas = append(deltas, memfile.Diff(contents.OldDocument(t.st, c.Before), contents.OldDocument(t.st, c.After))...)
	}
	if err := contents.NoteWritten(ctx, t.st, deltas, entries, false, ""); err != nil {
		t.notes = append(t.notes, notReviewed("the edit", err))
	}
}

// notReviewed tells the person that what they wrote will not count as reviewed.
func notReviewed(what string, err error) fault.Note {
	return fault.NewNote("write-not-reviewed", "under trust reviewed, memctl will treat "+what+" as somebody else's: "+err.Error())
}

// editedNames says which files were edited: one by its name, several by their number.
func editedNames(st *store.Store, edits []store.FileChange) string {
	switch {
	case len(edits) > 1:
		return fmt.Sprintf("%d files", len(edits))
	case edits[0].Path == memfile.FileName:
		return st.Name()
	}
	return edits[0].Path
}
