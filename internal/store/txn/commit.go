package txn

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/policy"
)

// commit commits what the act changed. Where it cannot be committed now, an explicit
// write stays in the file (why says why) and any other is an error. Errors:
// fault.Deferred, fault.Again.
func (p *plan) commit(ctx context.Context) (commit, why string, err error) {
	begun := p.blocked == ""
	if begun {
		commit, err = commitFiles(ctx, p.st, p.changes, p.w.subject(), p.w.Message, p.w.Trailers(p.st.Scope))
		if commit == "" { // HEAD has the files as they stand, or git says what is wrong
			err = cmp.Or(stillThere(ctx, p.st, reversed(p.changes)), err)
		}
		switch name, changed := changedByOthers(err); {
		case changed:
			return "", "", changedMeanwhile(name)
		case commit != "" && err != nil:
			p.notes, p.behind = append(p.notes, fault.NewNote("index-not-written", err.Error())), true // committed, but git could not write the index
		case err != nil:
			p.blocked = commitFault(err)
		}
	}
	if p.blocked == "" {
		return commit, "", p.committedAs(ctx, commit)
	}
	if begun {
		if gitops.Begun(p.blocked) || p.blocked == gitops.WhyLocked && gitops.HandsOff(p.st.Repo.Waits(ctx, 0)) {
			p.blocked = gitops.WhyAtWork // since this act began, a git changes files, or an operation has begun
		}
		if err := p.mayWrite(ctx); err != nil {
			return "", "", err
		}
	}
	return "", p.blocked, p.waits(ctx)
}

// committedAs notes the act's commit in the journal; that is HEAD if there was nothing left to
// commit.
func (p *plan) committedAs(ctx context.Context, commit string) error {
	if p.st.Repo == nil {
		return nil
	}
	state, err := p.st.Repo.State()
	if commit == "" {
		if err != nil || state.Unborn {
			return err
		}
		commit = state.Head
	}
	if err == nil && state.Branch == "" && p.st.Repo.Operation() == "" {
		p.notes = append(p.notes, fault.NewNote("detached-head", "HEAD is detached, so this write is on no branch; git switch -c NAME makes one, and after a checkout this restores it: memctl restore --from journal"))
	}
	p.head = commit
	p.act.Journalled = p.journal(ctx, p.written(commit, ""))
	return nil
}

// waits notes a write that stands in the tree until it can be committed.
func (p *plan) waits(ctx context.Context) error {
	if p.blocked == WhyNoRepository {
		return nil
	}
	if p.blocked == WhyStageOnly {
		for _, path := range p.st.GitPaths(p.changes) {
			if err := worktree.Stage(ctx, p.st.Repo, path); err != nil {
				p.notes = append(p.notes, fault.NewNote("index-not-written", err.Error()))
				break
			}
		}
	}
	p.act.Journalled = p.journal(ctx, p.written("", p.blocked))
	return nil
}

// written is the act as the journal is told of it.
func (p *plan) written(commit, why string) ledger.JournalWrite {
	return ledger.JournalWrite{Changes: p.changes, Subject: "memory: " + p.w.subject(), Body: p.w.Message, Trailers: p.w.Trailers(p.st.Scope), Commit: commit, Why: why, Act: &p.act}
}

// commitChanges commits files that somebody else changed, or that waited, and tells
// the journal.
func (t *transaction) commitChanges(ctx context.Context, changes []store.FileChange, subject, body string, trailers []object.Trailer) (string, error) {
	commit, err := commitFiles(ctx, t.st, changes, subject, body, trailers)
	if commit != "" {
		t.head = commit
		t.journal(ctx, ledger.JournalWrite{Changes: changes, Subject: "memory: " + subject, Body: body, Trailers: trailers, Commit: commit})
	}
	return commit, err
}

// commitFault is the reason for a commit that failed after the write.
func commitFault(err error) string {
	if err == nil {
		return ""
	}
	if why := gitops.BlockedBy(err); why != "" {
		return why
	}
	return "git commit failed: " + err.Error()
}

// commitFiles commits exactly the files of the changes, as they stand on disk: deleted only
// where the change deletes. A dry run makes no commit.
func commitFiles(ctx context.Context, st *store.Store, changes []store.FileChange, subject, body string, trailers []object.Trailer) (string, error) {
	return commitRequest(ctx, st, changes, committer.Request{Subject: subject, Body: body, Trailers: trailers})
}

// commitRequest is commitFiles for a request that lacks the files.
func commitRequest(ctx context.Context, st *store.Store, changes []store.FileChange, req committer.Request) (string, error) {
	form, err := st.Stores.Setting(ctx, store.CommitSubject)
	if err != nil {
		return "", err
	}
	// A commit's message goes to everybody who has the repository: a form that
	// contains a secret is not used.
	if bytes.Count([]byte(form.Text), []byte("%s")) == 1 && (st.Scope == store.Project || st.Scope == store.Only) && len(policy.Scan([]byte(form.Text))) == 0 {
		req.Subject = string(bytes.Replace([]byte(form.Text), []byte("%s"), []byte(req.Subject), 1))
	} else {
		req.Subject = fmt.Sprintf("memory: %s", req.Subject)
	}
	if st.DryRun() {
		return "", nil
	}
	req.Paths, req.Settings = st.GitPaths(changes), st.CommitSettings(ctx)
	req.Bytes, req.Written = map[string][]byte{}, map[string]fs.FileInfo{}
	for _, c := range changes {
		name := st.GitPathOf(c.Path)
		req.Bytes[name], req.Written[name] = c.After, c.Written
	}
	return committer.Commit(ctx, st.Repo, req)
}

// mayWrite is an error if the act may write nothing now, and waits in the queue or is refused: an
// automatic one wherever it cannot be committed, every one while a git is at work, or while a merge,
// cherry-pick or revert changes one of the act's files. A second change of it would keep the person from
// giving the operation up: git does not take back then what else it brought.
func (p *plan) mayWrite(ctx context.Context) error {
	refused := p.w.Clean || gitops.HandsOff(p.blocked)
	switch p.blocked {
	case "", WhyNoRepository:
		return nil
	case WhyCommitOff, WhyStageOnly, WhyProtected: // the person commits, so nothing would ever bring it in
		refused = p.w.Clean && p.w.Origin != originRelayed
	case gitops.WhyMerge, gitops.WhyCherryPick, gitops.WhyRevert:
		if !refused && worktree.Restaged(ctx, p.st.Repo, p.st.GitPaths(p.changes)) {
			return store.Deferred(store.WhyOperation, "")
		}
	}
	if refused {
		return p.deferred(p.blocked)
	}
	return nil
}

// Blocked says why nothing can be committed to the store now, as far as that shows without trying; ""
// where it can. Where no file may be written either, gitops.HandsOff is true of the reason. Another
// git is waited for as long as patience. Errors: fault.Setting.
func Blocked(ctx context.Context, st *store.Store, patience time.Duration) (string, error) {
	if st.Repo == nil {
		return WhyNoRepository, nil
	}
	why := st.Repo.Waits(ctx, patience)
	if gitops.HandsOff(why) {
		return why, nil
	}
	if st.Scope == store.User || st.Scope == store.Private {
		own, err := st.Repo.Config(ctx)
		return cmp.Or(why, st.Repo.Blocked(ctx, err == nil && own.NamesSomebody())), nil
	}
	mode, err := st.Stores.Setting(ctx, store.CommitMode)
	switch {
	case err != nil:
		return "", err
	case mode.Text == "off":
		return WhyCommitOff, nil
	case mode.Text == "stage":
		return WhyStageOnly, nil
	}
	if state, err := st.Repo.State(); err == nil && st.Stores.Protected(ctx, state.Branch) {
		return WhyProtected, nil
	}
	if why != "" {
		return why, nil
	}
	return st.Repo.Blocked(ctx, st.Stores.LookupConfig(ctx).Person), nil
}

func (w Write) subject() string {
	switch {
	case w.Subject != "":
		return w.Subject
	case len(w.Keys) == 0:
		return w.Act
	case len(w.Keys) == 1:
		return w.Act + " " + short(w.Keys[0])
	}
	return fmt.Sprintf("%s %d items", w.Act, len(w.Keys))
}

// short keeps a key that is somebody's sentence out of a subject's way.
func short(key string) string {
	return policy.Cut(key, 60)
}

// Trailers are those of the act's commit.
func (w Write) Trailers(scope string) []object.Trailer {
	list := []object.Trailer{{Name: ledger.TrailerAct, Value: w.Act}}
	for _, key := range w.Keys {
		list = append(list, object.Trailer{Name: "Memory-Key", Value: key})
	}
	list = append(list, object.Trailer{Name: "Memory-Scope", Value: scope})
	if w.Source != "" {
		list = append(list, object.Trailer{Name: "Memory-Source", Value: w.Source})
	}
	return list
}
