package ledger

import (
	"context"
	"slices"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// JournalHistory calls fn for what the journal's entries changed in this
// store's memory file and in the files of entries, newest first, until it returns
// false. Commit is the entry's own id. A file that a write took away is in no entry. An entry of writes dropped from the queue
// (DroppedIn) changes neither. Errors: fault.NoHistory.
func JournalHistory(ctx context.Context, st *store.Store, fn func(v contents.Version, files []object.ChangedFile, e committer.JournalEntry) bool) error {
	if st.Repo == nil {
		return contents.NoHistory(st)
	}
	list, err := committer.JournalWithFiles(ctx, st.Repo)
	if err != nil {
		return err
	}
	changed := make([][]object.ChangedFile, len(list))
	last := map[string]string{} // blob by branch and path
	for i := len(list) - 1; i >= 0; i-- {
		for name, blob := range list[i].Files {
			at := list[i].Branch + "\x00" + name
			was := list[i].Before[name]
			if len(list[i].Before) == 0 { // of an earlier version, or the first
				was = last[at]
			}
			if was != blob {
				changed[i] = append(changed[i], object.ChangedFile{Path: name, Before: was, After: blob})
			}
			last[at] = blob
		}
	}
	versions := contents.NewVersions(st)
	for i, e := range list {
		if actOf(e) == foundAct {
			continue
		}
		found := object.Version{Commit: e.ID, Author: e.Author, Email: e.Email, Date: e.Date, Subject: e.Subject, Body: e.Body, Trailers: e.Trailers}
		files := slices.DeleteFunc(changed[i], func(f object.ChangedFile) bool {
			if f.Path == st.GitPath() {
				found.Before, found.After, found.Befores = f.Before, f.After, []string{f.Before}
			}
			return f.Path == st.GitPath()
		})
		if files = contents.ChangedEntries(st, files); len(files) == 0 && found.Before == found.After && actOf(e) != dropAct {
			continue
		}
		v, err := versions.Of(ctx, found)
		if err != nil {
			return err
		}
		if !fn(v, files, e) {
			return nil
		}
	}
	return nil
}

// Here reports of which entries of the journal it may be said that they were written
// here: on the branch, or in this worktree with no branch checked out. Errors:
// fault.NoHistory.
func Here(st *store.Store) (func(committer.JournalEntry) bool, error) {
	if st.Repo == nil {
		return nil, contents.NoHistory(st)
	}
	state, err := st.Repo.State()
	if err != nil {
		return nil, err
	}
	return HereOn(st, BranchRef(state)), nil
}

// HereOn is Here where the branch is known, "" with none checked out.
func HereOn(st *store.Store, branch string) func(committer.JournalEntry) bool {
	here := place(st)
	return func(e committer.JournalEntry) bool {
		return e.Branch == branch && branch != "" || e.Branch == "" && e.Worktree == here
	}
}
