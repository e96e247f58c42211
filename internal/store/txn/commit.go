package txn

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/policy"
)

// commit writes what the act changed, and commits it. Where it cannot be committed now, an explicit
// write stays in the file (why says why) and any other is an error. Errors:
// fault.Deferred, fault.TryAgain.
func (p *plan) commit(ctx context.Context) (commit, why string, err error) {
	if p.blocked == "" {
		var failed error
		commit, err = commitFiles(ctx, p.st, p.changes, p.w.subject(), p.w.Message, p.w.Trailers(p.st.Scope), func(id string) error {
			failed = p.write(ctx, id, "")
			return failed
		})
		if name, changed := changedByOthers(err); changed && failed == nil {
			return "", "", changedMeanwhile(name)
		}
		if failed != nil || err == nil {
			p.noteDetached()
			p.head = cmp.Or(commit, p.head)
			return commit, "", failed
		}
		if p.blocked = commitFault(err); gitops.IsUnfinishedOperation(p.blocked) || p.blocked == gitops.WhyLocked && gitops.HandsOff(p.st.Repo.Waits(ctx, 0)) {
			p.blocked = gitops.WhyAtWork // since this act began, a git changes files, or an operation has begun
		}
		if err := p.mayWrite(ctx); err != nil {
			return "", "", err
		}
	}
	if err := p.write(ctx, "", p.blocked); err != nil {
		return "", "", err
	}
	if p.blocked == WhyStageOnly {
		for _, path := range p.st.GitPaths(p.changes) {
			if err := worktree.Stage(ctx, p.st.Repo, path, false); err != nil {
				p.notes = append(p.notes, fault.NewNote("index-not-written", err.Error()))
				break
			}
		}
	}
	return "", p.blocked, nil
}

// record adds the act to the journal, with its commit or why it has none.
func (p *plan) record(ctx context.Context, commit, why string) error {
	if p.act == nil && !p.undone {
		act := ledger.NewAct(p.st.Stores, p.st.Scope, p.w.Act, p.w.Undoes, p.w.Origin)
		act.Command, p.act = p.w.Command, &act
	}
	entry, err := p.journal(ctx, ledger.JournalWrite{
		Changes: p.changes, Subject: "memory: " + p.w.subject(), Body: p.w.Message, Trailers: p.w.Trailers(p.st.Scope),
		Commit: commit, Why: why, Act: p.act, Instead: p.entry,
	})
	if err == nil {
		p.entry = entry
	}
	return err
}

// write records the act, and then writes its files. It may be called again
// with another commit. Errors: fault.TryAgain; those of putUnless.
func (p *plan) write(ctx context.Context, commit, why string) error {
	if err := p.record(ctx, commit, why); err != nil || p.put {
		return err
	}
	if err := putUnless(ctx, p.st, p.changes); err != nil {
		if name, ok := changedByOthers(err); ok {
			err = changedMeanwhile(cmp.Or(name, p.changes[len(p.changes)-1].Path))
		}
		return err
	}
	p.put = true
	return nil
}

// takeBack makes the files what they were before the act, and takes it out of the journal. What the disk does not let go
// of, the next act ends.
func (p *plan) takeBack(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if p.put {
		if err := p.undoFiles(); err != nil {
			return err
		}
	}
	if p.entry == nil || slices.ContainsFunc(p.changes, func(c store.FileChange) bool {
		now, err := contents.FileBytes(p.st, c.Path)
		return err != nil || contents.DigestOf(now) == contents.DigestOf(c.After)
	}) {
		return nil
	}
	return committer.DropJournal(ctx, p.st.Repo, *p.entry)
}

// noteDetached warns of a commit that is on no branch.
func (p *plan) noteDetached() {
	if p.st.Repo == nil {
		return
	}
	if state, err := p.st.Repo.State(); err == nil && !state.Unborn && state.Branch == "" && p.st.Repo.Operation() == "" {
		p.notes = append(p.notes, fault.NewNote("detached-head", "HEAD is detached, so this write is on no branch; git switch -c NAME makes a branch"))
	}
}

// commitChanges commits files that somebody else changed, or that waited, and tells
// the journal.
func (t *transaction) commitChanges(ctx context.Context, changes []store.FileChange, subject, body string, trailers []object.Trailer) (string, error) {
	w := ledger.JournalWrite{Changes: changes, Subject: "memory: " + subject, Body: body, Trailers: trailers}
	commit, err := commitFiles(ctx, t.st, changes, subject, body, trailers, func(id string) error {
		if w.Commit = id; id != t.head { // else HEAD has the files already
			w.Instead, _ = t.journal(ctx, w)
		}
		return nil
	})
	switch {
	case commit != "":
		t.head = commit
	case w.Instead != nil:
		err = errors.Join(err, committer.DropJournal(context.WithoutCancel(ctx), t.st.Repo, *w.Instead))
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

// commitFiles commits exactly the changes. ahead is called with the commit's id before anything moves: it writes the files,
// where that is still to be done. A dry run makes no commit.
func commitFiles(ctx context.Context, st *store.Store, changes []store.FileChange, subject, body string, trailers []object.Trailer, ahead func(commit string) error) (string, error) {
	return commitRequest(ctx, st, changes, committer.Request{Subject: subject, Body: body, Trailers: trailers}, ahead)
}

// commitRequest is commitFiles for a request that lacks the files.
func commitRequest(ctx context.Context, st *store.Store, changes []store.FileChange, req committer.Request, ahead func(commit string) error) (string, error) {
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
	req.Paths, req.Settings, req.Bytes = st.GitPaths(changes), st.CommitSettings(ctx), map[string][]byte{}
	for _, c := range changes {
		req.Bytes[st.GitPathOf(c.Path)] = c.After
	}
	req.Ahead = func(commit string) (map[string]fs.FileInfo, error) {
		err, written := ahead(commit), map[string]fs.FileInfo{}
		for _, c := range changes {
			written[st.GitPathOf(c.Path)] = c.Written
		}
		return written, err
	}
	return committer.Commit(ctx, st.Repo, req)
}

// mayWrite returns an error if the act may write nothing now: an automatic act if it cannot be
// committed, any act while a git is at work, or while a merge, cherry-pick or revert has changed one of
// the act's files. With a second change of that file the person could not abort the operation: git
// would not undo its other changes.
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
		return cmp.Or(why, st.Repo.Blocked(ctx, st.GitConfig(ctx).Person)), nil
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
	return st.Repo.Blocked(ctx, st.GitConfig(ctx).Person), nil
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

// journal adds a write to the journal, before its first file changes, and returns the entry; nil where there is none.
// If the journal cannot take a write of one file with a commit, a note says so. Of any other nothing else tells what a killed
// process left half done or what waits, so it fails.
func (t *transaction) journal(ctx context.Context, w ledger.JournalWrite) (*committer.JournalEntry, error) {
	if t.st.Repo == nil {
		return nil, nil
	}
	switch w.Why {
	case gitops.WhyNotWritable, gitops.WhyOwnership:
		return nil, nil // the write says so itself
	}
	w.Waits = t.waits
	entry, err := ledger.AddJournal(ctx, t.st, w, t.src)
	switch {
	case err == nil:
		return entry, nil
	case w.Commit == "", len(w.Changes) > 1:
		return nil, fmt.Errorf("the journal cannot take this write, so nothing was written: %w", err)
	}
	t.notes = append(t.notes, fault.NewNote("journal-missing", "this write is missing from the journal, so undo will not know it: "+err.Error()))
	return nil, nil
}
