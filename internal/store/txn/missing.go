package txn

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Absent reports whether the memory file is not on disk, and git has it: then the store
// is this one all the same, and nobody makes a new file over that one.
func Absent(ctx context.Context, m *contents.Memory) bool {
	return !m.Exists && !m.Foreign && absentFile(ctx, m.Store).IsInGit()
}

// absentFile is where git has the memory file that is not on disk.
func absentFile(ctx context.Context, st *store.Store) worktree.Absent {
	if st.Repo == nil || st.Dir == "" {
		return worktree.Absent{}
	}
	return worktree.FindAbsent(ctx, st.Repo, st.GitPath(), true)
}

// Missing is the error of an act that needs the memory file where none is on disk:
// Why says what has the file still, and Way is the command that brings it back; "" where
// nothing is known of one.
func Missing(ctx context.Context, st *store.Store) *fault.Error {
	e := &fault.Error{Code: fault.NoMemoryFile, Thing: st.Name(), Cause: "there is no memory file in scope " + st.Scope}
	switch a := absentFile(ctx, st); {
	case a.Hidden:
		e.Why, e.RestoreCommand = "it is marked skip-worktree or assume-unchanged", "git"+inRepo(st)+" update-index --no-skip-worktree --no-assume-unchanged "+pathHere(st)+" && git"+inRepo(st)+" checkout -- "+pathHere(st)
	case a.Head:
		e.Why, e.RestoreCommand = "it was deleted, but HEAD has it", "git"+inRepo(st)+" checkout HEAD -- "+pathHere(st)
	case a.Index:
		e.Why, e.RestoreCommand = "it was deleted, but the index has it", "git"+inRepo(st)+" checkout -- "+pathHere(st)
	default:
		if commit, subject := removedBy(ctx, st); commit != "" {
			e.Why, e.RestoreCommand = "commit "+commit+" removed it ("+subject+")", "git"+inRepo(st)+" checkout "+commit+"~1 -- "+pathHere(st)
		}
	}
	if e.Why != "" {
		e.Cause = "there is no memory file on disk: " + e.Why
	}
	return e
}

// removedBy is the commit of HEAD's history that removed the memory file, and its subject; "" where none did.
func removedBy(ctx context.Context, st *store.Store) (commit, subject string) {
	if st.Repo == nil || st.Dir == "" {
		return "", ""
	}
	_ = object.History(ctx, st.Repo, "HEAD", st.GitPath(), 1, func(v object.Version) bool {
		if v.After == "" {
			commit, subject = v.Commit[:8], policy.Inert(string(policy.Redact([]byte(v.Subject))))
		}
		return false
	})
	return commit, subject
}

// lastJournalled is the newest journal entry that wrote the memory file and for which of is true; nil if there is none.
func lastJournalled(ctx context.Context, st *store.Store, of func(committer.JournalEntry) bool) *committer.JournalEntry {
	last, _, ok, err := committer.JournalLast(ctx, st.Repo, ledger.JournalLook, of, st.GitPath())
	if err != nil || !ok {
		return nil
	}
	return &last
}

// inRepo names the repository to a git that is started in the session's folder.
func inRepo(st *store.Store) string {
	if st.Scope == store.Project {
		return ""
	}
	return " -C " + shell.Quote(st.Dir)
}

// pathHere is the memory file for a git that inRepo speaks to.
func pathHere(st *store.Store) string {
	if st.Scope == store.Project && st.Stores.SessionFolder() != "." {
		return ":/" + st.GitPath()
	}
	return memfile.FileName
}

// prepareWithoutFile is prepare where no memory file is on disk: a new one, where the act may
// make it and git has none. One that git has is not written over.
func (t *transaction) prepareWithoutFile(ctx context.Context) (*memfile.File, error) {
	if absentFile(ctx, t.st).IsInGit() {
		// A checkout, a rebase and a stash take a file that they change out of the worktree
		// for a moment.
		why := t.st.Repo.Waits(ctx, t.w.Wait)
		_, err := os.Lstat(t.st.Path())
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			return nil, changedMeanwhile(t.st.Name())
		case gitops.HandsOff(why):
			return nil, store.Deferred(why, "")
		case t.w.Clean:
			return nil, store.Deferred(store.WhyAbsent, "")
		}
		return nil, Missing(ctx, t.st)
	}
	if !t.w.Create {
		return nil, Missing(ctx, t.st)
	}
	src := strings.Replace(memfile.Template, memfile.NeverUpdated, t.st.Stores.Today(), 1)
	file, _ := memfile.Parse(t.st.Name(), []byte(src))
	return file, nil
}

// foreign is the error of a damaged file that may as well be somebody's own: a page, or a text with neither an item nor a
// tombstone to recover that never was a sound file. A person's recover makes a memory file of it. nil for every other file.
func (t *transaction) foreign(ctx context.Context) error {
	switch doc := contents.OldDocument(t.st, t.src); {
	case memfile.IsPage(t.src):
		if !contents.IsPage(ctx, t.st, t.src) {
			return nil
		}
	case len(bytes.TrimSpace(t.src)) == 0, len(doc.Items)+len(doc.Deletions) > 0, contents.LastSound(ctx, t.st) != nil:
		return nil
	}
	return Foreign(t.st.Scope, t.st.Name())
}
