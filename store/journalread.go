package store

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
)

// JournalHistory calls fn for what the journal's entries changed in this
// store's memory file and in the files of entries, newest first, until it returns
// false. Before is the entry before it on its branch; Commit is the entry's own
// id. A file that a write took away is in no entry. Errors: *NoHistoryError.
func (st *Store) JournalHistory(ctx context.Context, fn func(v Version, files []object.ChangedFile, e committer.JournalEntry) bool) error {
	if st.Repo == nil {
		return st.noHistory()
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
			if was := last[at]; was != blob {
				changed[i] = append(changed[i], object.ChangedFile{Path: name, Before: was, After: blob})
			}
			last[at] = blob
		}
	}
	versions := st.newVersions()
	for i, e := range list {
		if isFound(e) {
			continue
		}
		found := object.Version{Commit: e.ID, Author: e.Author, Email: e.Email, Date: e.Date, Subject: e.Subject, Body: e.Body, Trailers: e.Trailers}
		files := slices.DeleteFunc(changed[i], func(f object.ChangedFile) bool {
			if f.Path == st.gitPath() {
				found.Before, found.After, found.Befores = f.Before, f.After, []string{f.Before}
			}
			return f.Path == st.gitPath()
		})
		if files = st.entryFiles(files); len(files) == 0 && found.Before == found.After {
			continue
		}
		v, err := versions.of(ctx, found)
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
// *NoHistoryError.
func (st *Store) Here() (func(committer.JournalEntry) bool, error) {
	if st.Repo == nil {
		return nil, st.noHistory()
	}
	state, err := st.Repo.State()
	if err != nil {
		return nil, err
	}
	return st.hereOn(branchRef(state)), nil
}

// hereOn is Here where the branch is known, "" with none checked out.
func (st *Store) hereOn(branch string) func(committer.JournalEntry) bool {
	place := st.Repo.WorktreeName()
	return func(e committer.JournalEntry) bool {
		return e.Branch == branch && branch != "" || e.Branch == "" && e.Worktree == place
	}
}

// JournalFile is the newest file of an entry in the journal for which fits says
// yes, with its bytes; "" where there is none. Errors: *NoHistoryError.
func (st *Store) JournalFile(ctx context.Context, fits func(p entry.Place) bool) (name string, src []byte, err error) {
	var list []committer.JournalEntry
	if err := st.JournalEntries(ctx, func(e committer.JournalEntry) bool { list = append(list, e); return true }); err != nil {
		return "", nil, err
	}
	for _, e := range list {
		files, err := committer.JournalFiles(ctx, st.Repo, e)
		if err != nil {
			return "", nil, err
		}
		for file, blob := range files {
			name := st.ownPath(file)
			if p, ok := entry.ParsePath(name); ok && !p.Deleted && fits(p) {
				src, err := st.version(ctx, blob, file)
				return name, src, err
			}
		}
	}
	return "", nil, nil
}
