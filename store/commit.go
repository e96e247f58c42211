package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/policy"
)

// commit commits what the act changed. Where it cannot be committed now, an explicit
// write stays in the file (why says why) and any other is an error. Errors:
// *DeferredError, *againError.
func (t *transaction) commit(ctx context.Context) (commit, why string, err error) {
	begun := t.blocked == ""
	if begun {
		commit, err = t.st.commit(ctx, t.changes, t.w.subject(), t.w.Message, t.w.trailers(t.st.Scope))
		if commit == "" && commitFault(err) != gitops.WhyHook { // HEAD has the files as they stand, or git says what is wrong
			err = cmp.Or(t.st.stillThere(ctx, t.made()), err)
		}
		switch name, changed := meanwhile(err); {
		case changed:
			return "", "", &againError{safefile.ChangedError{Name: name}}
		case commit != "" && err != nil:
			t.notes = append(t.notes, err.Error()) // committed, but git could not write the index
		case err != nil:
			t.blocked = commitFault(err)
		}
	}
	if t.blocked == "" {
		return commit, "", t.committedAs(ctx, commit)
	}
	if begun {
		if why := t.begunSince(ctx); why != "" {
			return "", "", t.deferred(why)
		}
	}
	return "", t.blocked, t.waits(ctx)
}

// begunSince says why what was written may not stand uncommitted: since this act began,
// another git has locked the index for so long that it is changing files, or has begun an
// operation that does not know of this change.
func (t *transaction) begunSince(ctx context.Context) string {
	switch {
	case t.blocked == gitops.WhyLocked:
		return t.st.HandsOff(ctx)
	case gitops.Begun(t.blocked):
		return gitops.WhyAtWork
	}
	return ""
}

// made are the act's files as it has written them, for stillThere.
func (t *transaction) made() (list []FileChange) {
	for _, c := range t.changes {
		list = append(list, FileChange{Path: c.Path, Before: c.After})
	}
	return list
}

// committedAs notes the act's commit in the journal; that is HEAD if there was nothing left to
// commit.
func (t *transaction) committedAs(ctx context.Context, commit string) error {
	if t.st.Repo == nil {
		return nil
	}
	if commit == "" {
		state, err := t.st.Repo.State()
		if err != nil || state.Unborn {
			return err
		}
		commit = state.Head
	}
	t.head = commit
	t.journal(ctx, t.written(commit, ""))
	return nil
}

// waits notes a write that stands in the tree until it can be committed.
func (t *transaction) waits(ctx context.Context) error {
	if t.blocked == WhyNoRepository {
		return nil
	}
	if t.onlyWaits() {
		return t.deferred(t.blocked)
	}
	if t.blocked == WhyStageOnly {
		for _, path := range t.st.gitPaths(t.changes) {
			if err := t.st.Repo.Stage(ctx, path); err != nil {
				t.notes = append(t.notes, err.Error())
				break
			}
		}
	}
	if err := t.st.notePending(t.pending()); err != nil {
		return err
	}
	t.journal(ctx, t.written("", t.blocked))
	return nil
}

// written is the act as the journal is told of it.
func (t *transaction) written(commit, why string) written {
	return written{changes: t.changes, subject: "memory: " + t.w.subject(), body: t.w.Message, trailers: t.w.trailers(t.st.Scope), commit: commit, why: why}
}

// commitChanges commits files that somebody else changed, or that waited, and tells
// the journal.
func (t *transaction) commitChanges(ctx context.Context, changes []FileChange, subject, body string, trailers []gitops.Trailer) (string, error) {
	commit, err := t.st.commit(ctx, changes, subject, body, trailers)
	if commit != "" {
		t.head = commit
		t.journal(ctx, written{changes: changes, subject: "memory: " + subject, body: body, trailers: trailers, commit: commit})
	}
	return commit, err
}

// commitFault is the reason for a commit that failed after the write.
func commitFault(err error) string {
	if err == nil {
		return ""
	}
	var blocked *gitops.BlockedError
	if errors.As(err, &blocked) {
		return blocked.Why
	}
	return "git commit failed: " + err.Error()
}

// commit commits exactly the files of the changes, as they stand on disk: deleted only
// where the change deletes.
func (st *Store) commit(ctx context.Context, changes []FileChange, subject, body string, trailers []gitops.Trailer) (string, error) {
	form, err := st.ss.Setting(ctx, CommitSubject)
	if err != nil {
		return "", err
	}
	hooks, err := st.ss.Setting(ctx, CommitHooks)
	if err != nil {
		return "", err
	}
	// A commit's message goes to everybody who has the repository: a form that
	// holds a secret is not used.
	if bytes.Count([]byte(form.Text), []byte("%s")) == 1 && (st.Scope == Project || st.Scope == Only) && len(policy.Scan([]byte(form.Text))) == 0 {
		subject = string(bytes.Replace([]byte(form.Text), []byte("%s"), []byte(subject), 1))
	} else {
		subject = fmt.Sprintf("memory: %s", subject)
	}
	files := map[string][]byte{}
	for _, c := range changes {
		files[st.gitPathOf(c.Path)] = c.After
	}
	return st.Repo.Commit(ctx, gitops.CommitRequest{
		Paths:    st.gitPaths(changes),
		Bytes:    files,
		Subject:  subject,
		Body:     body,
		Trailers: trailers,
		Hooks:    hooks.On(),
		Settings: st.commitSettings(ctx),
	})
}

// commitSettings is what git's settings say of commits to the store; nil where git does
// not answer.
func (st *Store) commitSettings(ctx context.Context) *gitops.CommitSettings {
	if st.Scope == User || st.Scope == Private {
		config, err := st.Repo.Config(ctx)
		if err != nil {
			return nil
		}
		own := config.CommitSettings()
		return &own
	}
	if l := st.ss.lookupConfig(ctx); !l.silent {
		return &l.Commits
	}
	return nil
}

// Ready reports whether a write could be committed to the store now, as far as
// that shows without trying. Another git is waited for as long as patience.
func (st *Store) Ready(ctx context.Context, patience time.Duration) bool {
	why, err := st.blocked(ctx, patience)
	return err == nil && why == ""
}

// HandsOff says why no file of the store may be written now: this process is inside a
// hook of git's, or a git is at work on the files. "" where they may.
func (st *Store) HandsOff(ctx context.Context) string {
	if st.Repo == nil {
		return ""
	}
	if why := st.Repo.Waits(ctx, 0); gitops.HandsOff(why) {
		return why
	}
	return ""
}

// onlyWaits reports whether the act may write nothing now, and waits in the queue or is
// refused: an automatic one wherever it cannot be committed, every one while a git is at work.
func (t *transaction) onlyWaits() bool {
	return t.blocked != "" && t.blocked != WhyNoRepository && (t.w.Clean || gitops.HandsOff(t.blocked))
}

// inOperation reports whether a merge, cherry-pick or revert that has not ended changes
// one of the act's files. A second change of it in the worktree would keep the person
// from giving the operation up: git does not take back then what else it brought.
func (t *transaction) inOperation(ctx context.Context) bool {
	switch t.blocked {
	case gitops.WhyMerge, gitops.WhyCherryPick, gitops.WhyRevert:
		return !t.w.Clean && t.st.Repo.Restaged(ctx, t.st.gitPaths(t.changes))
	}
	return false
}

// blocked says why nothing can be committed to the store now, "" where it can. Another git
// is waited for as long as patience. Errors: fault.Setting.
func (st *Store) blocked(ctx context.Context, patience time.Duration) (string, error) {
	if st.Repo == nil {
		return WhyNoRepository, nil
	}
	why := st.Repo.Waits(ctx, patience)
	if gitops.HandsOff(why) {
		return why, nil
	}
	if st.Scope == User || st.Scope == Private {
		own, err := st.Repo.Config(ctx)
		return cmp.Or(why, st.Repo.Blocked(ctx, err == nil && own.NamesSomebody())), nil
	}
	mode, err := st.ss.Setting(ctx, CommitMode)
	switch {
	case err != nil:
		return "", err
	case mode.Text == "off":
		return WhyCommitOff, nil
	case mode.Text == "stage":
		return WhyStageOnly, nil
	}
	if state, err := st.Repo.State(); err == nil && st.ss.protected(ctx, state.Branch) {
		return WhyProtected, nil
	}
	if why != "" {
		return why, nil
	}
	return st.Repo.Blocked(ctx, st.ss.lookupConfig(ctx).Person), nil
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

func (w Write) trailers(scope string) []gitops.Trailer {
	list := []gitops.Trailer{{Name: trailerAct, Value: w.Act}}
	for _, key := range w.Keys {
		list = append(list, gitops.Trailer{Name: "Memory-Key", Value: key})
	}
	list = append(list, gitops.Trailer{Name: "Memory-Scope", Value: scope})
	if w.Source != "" {
		list = append(list, gitops.Trailer{Name: "Memory-Source", Value: w.Source})
	}
	return list
}
