package ledger

import (
	"context"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// JournalHistory calls fn for what the journal's entries changed in this
// store's memory file and in the files of entries, newest first, until it returns
// false. Commit is the entry's own id. A file that a write took away is in no entry. An entry of writes dropped from the queue
// (DroppedIn) changes neither. Errors: fault.NoHistory.
func JournalHistory(ctx context.Context, st *store.Store, fn func(v contents.Version) bool) error {
	if st.Repo == nil {
		return contents.NoHistory(st)
	}
	versions := contents.NewVersions(ctx, st)
	err := committer.JournalWithFiles(ctx, st.Repo, func(e committer.JournalEntry) bool {
		found := object.Version{Commit: e.ID, Author: e.Author, Email: e.Email, Date: e.Date, Subject: e.Subject, Body: e.Body, Trailers: e.Trailers}
		var files []object.ChangedFile
		for name, blob := range e.Files {
			switch was := e.Before[name]; {
			case was == blob:
			case name == st.GitPath():
				found.Before, found.After, found.Befores = was, blob, []string{was}
			default:
				files = append(files, object.ChangedFile{Path: name, Before: was, After: blob})
			}
		}
		if files = contents.ChangedEntries(st, files); len(files) == 0 && found.Before == found.After && actOf(e) != dropAct {
			return true
		}
		return versions.Each(func(v contents.Version) bool {
			v.Files, v.Entry = files, &e
			return fn(v)
		})(found, nil)
	})
	return versions.Failed(err)
}

// WrittenHere returns a test for journal entries that were written here: on the
// checked-out branch, or in this worktree with no branch checked out. Errors: fault.NoHistory.
func WrittenHere(st *store.Store) (func(committer.JournalEntry) bool, error) {
	if st.Repo == nil {
		return nil, contents.NoHistory(st)
	}
	state, err := st.Repo.State()
	if err != nil {
		return nil, err
	}
	return HereOn(st, BranchRef(state)), nil
}

// HereOn is WrittenHere for a branch, "" for a detached HEAD.
func HereOn(st *store.Store, branch string) func(committer.JournalEntry) bool {
	here := place(st)
	return func(e committer.JournalEntry) bool {
		return e.Branch == branch && branch != "" || e.Branch == "" && e.Worktree == here
	}
}
