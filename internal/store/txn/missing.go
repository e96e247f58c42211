package txn

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

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
	case a.Begun != "":
		e.Why, e.RestoreCommand = "the "+a.Begun+" in progress removed it, and the branch where it began still has it", "git"+inRepo(st)+" status"
	default:
		if commit := leftIn(ctx, st); commit != "" {
			e.Why, e.RestoreCommand = "on purpose", "git revert "+commit
			e.Thing, e.Cause = "", "memory was taken out on purpose in commit "+commit+" by `memctl leave`; `"+e.RestoreCommand+"` brings it back, and `memctl init` starts anew"
			return e
		} else if commit := lostFrom(ctx, st); commit != "" {
			e.Why, e.RestoreCommand = "this branch had it and lost it", "git"+inRepo(st)+" checkout "+commit[:min(len(commit), 8)]+" -- "+pathHere(st)
		} else if branch := begunBefore(ctx, st); branch != "" {
			e.Why, e.RestoreCommand = "older branch", "git merge "+shell.Quote(branch)
			e.Thing, e.Cause = "", "this branch began before memory was added on "+branch+": agents get no project memory on it until `"+e.RestoreCommand+"` or `git rebase "+shell.Quote(branch)+"` brings it"
			return e
		}
	}
	if e.Why != "" {
		e.Cause = "there is no memory file on disk: " + e.Why
	}
	return e
}

// LeaveSubject is the subject of the commit in which `memctl leave` removes memory.
const LeaveSubject = "memory: leave memctl"

// leftIn is the commit of the last year in which `memctl leave` removed the project's memory; "" for none.
func leftIn(ctx context.Context, st *store.Store) string {
	if st.Repo == nil || st.Dir == "" || st.Scope != store.Project {
		return ""
	}
	since := "--since=" + st.Stores.Now().AddDate(-1, 0, 0).Format(time.RFC3339)
	out, _ := st.Repo.Git(ctx, gitops.Call{Args: []string{"log", "-1", since, "--fixed-strings", "--grep=" + LeaveSubject, "--format=%h %s", "HEAD"}})
	commit, subject, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if subject != LeaveSubject {
		return ""
	}
	return commit
}

// lostFrom is the last commit of this branch that memctl wrote the memory file with; "" where there is none.
func lostFrom(ctx context.Context, st *store.Store) string {
	if st.Repo == nil || st.Dir == "" {
		return ""
	}
	state, err := st.Repo.State()
	if err != nil || state.Branch == "" {
		return ""
	}
	last := lastJournalled(ctx, st, ledger.HereOn(st, ledger.BranchRef(state)))
	if last == nil || !worktree.CommitHas(ctx, st.Repo, last.Commit, st.GitPath()) {
		return ""
	}
	return last.Commit
}

// begunBefore is the default branch, where it has the project's memory file and the branch that is checked out parted from it
// before; "" otherwise.
func begunBefore(ctx context.Context, st *store.Store) string {
	if st.Scope != store.Project || st.Repo == nil {
		return ""
	}
	branch, commit := contents.OnDefault(ctx, st.Stores)
	if branch == "" || !worktree.CommitHas(ctx, st.Repo, commit, st.GitPath()) {
		return ""
	}
	bases, err := object.MergeBases(ctx, st.Repo, "HEAD", commit)
	if err != nil || slices.ContainsFunc(bases, func(base string) bool { return worktree.CommitHas(ctx, st.Repo, base, st.GitPath()) }) {
		return ""
	}
	return branch
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

// foreign is the error of a damaged file that may as well be somebody's own: a page, data that only who has a key can read, or
// a text with neither an item nor a tombstone to recover that never was a sound file. A person's recover makes a memory file of
// it. nil for every other file.
func (t *transaction) foreign(ctx context.Context) error {
	sealed := memfile.MayBeEncrypted(t.src)
	switch doc := contents.OldDocument(t.st, t.src); {
	case memfile.IsPage(t.src):
		if !contents.IsPage(ctx, t.st, t.src) {
			return nil
		}
	case len(bytes.TrimSpace(t.src)) == 0, !sealed && (len(doc.Items)+len(doc.Deletions) > 0 || contents.LastSound(ctx, t.st) != nil):
		return nil
	}
	return Foreign(t.st.Scope, t.st.Name(), sealed)
}
