package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/policy"
)

// commit commits what the act changed, and writes it again where another program
// took it back before. Where it cannot be committed now, an explicit write stays in
// the file (why says why) and an automatic one is an error. Errors: *DeferredError,
// *TakenBackError, *againError.
func (t *transaction) commit(ctx context.Context) (commit, why string, err error) {
	blocked := t.blocked
	for n := (tries{}); ; {
		t.blocked = blocked
		commit := t.tryCommit(ctx)
		if t.blocked != blocked {
			why := t.begunSince(ctx)
			switch {
			case why != "":
				return "", "", t.deferred(why)
			case gitops.Begun(t.blocked) && n.more(ctx):
				continue // it is over
			}
		}
		lost := t.lost(ctx, commit)
		switch {
		case len(lost) == 0 && t.blocked == "":
			t.noteReworded(ctx)
			t.committedAs(ctx, commit)
			return commit, "", nil
		case len(lost) == 0:
			return "", t.blocked, t.waits(ctx)
		}
		if settled, err := t.tryAgain(ctx, &n, lost); err != nil {
			return "", "", err
		} else if settled {
			return "", t.blocked, t.waits(ctx)
		}
	}
}

// tryAgain makes ready for the next try of a commit that has not got all of the act.
// settled says that there is none: the act waits as it stands. Errors: those of commit.
func (t *transaction) tryAgain(ctx context.Context, n *tries, lost []FileChange) (settled bool, err error) {
	byHook := t.blocked == gitops.WhyHook
	if byHook {
		n.refused++
	}
	more := n.more(ctx)
	if byHook && (!more || n.refused >= maxRefused) {
		if ok, err := t.settlesFor(ctx, lost); ok || err != nil {
			return ok, err
		}
	}
	if !more {
		return false, errors.Join(ctx.Err(), t.wasTakenBack(ctx, lost))
	}
	err = t.putAgain(ctx, lost)
	var again *againError
	if byHook && errors.As(err, &again) { // what a hook makes of it, it makes of it each time
		err = t.wasTakenBack(ctx, lost)
	}
	return false, err
}

// committedAs notes the commit of the act; where nobody knows whose has it, HEAD has.
func (t *transaction) committedAs(ctx context.Context, commit string) {
	if t.st.Repo == nil {
		return
	}
	if commit == "" {
		state, err := t.st.Repo.State()
		if err != nil || state.Unborn {
			return
		}
		t.journal(ctx, t.written(state.Head, ""))
		return
	}
	t.head = commit
	t.noteRecent(t.changes, t.blobs)
	t.journalled = t.journal(ctx, t.written(commit, ""))
}

// tryCommit commits the changes as they stand, where nothing speaks against it;
// t.blocked says what did. It gives the commit that git made of them, or that took
// them along.
func (t *transaction) tryCommit(ctx context.Context) string {
	if t.blocked != "" {
		return ""
	}
	commit, err := t.commitPaths(ctx, t.changes, t.w.subject(), t.w.Message, t.w.trailers(t.st.Scope))
	switch {
	case commit != "" && err != nil:
		t.notes = append(t.notes, err.Error()) // committed, but git could not finish
		t.indexBehind = true
	case err != nil:
		t.blocked = commitFault(err)
	}
	if commit != "" {
		t.beside = t.beside || t.made != "" && t.made != commit // it is not all in one
		t.made = commit
	}
	return commit
}

// begunSince says why what was written may not stand uncommitted either: a git that began
// after this act did holds its lock for so long that it is changing the files, and may not
// have come to these yet, or has begun an operation that does not know of them.
func (t *transaction) begunSince(ctx context.Context) string {
	switch {
	case t.blocked == gitops.WhyLocked:
		return t.st.HandsOff(ctx)
	case gitops.Begun(t.blocked) && !t.st.Ready(ctx, t.w.Wait):
		return gitops.WhyAtWork
	}
	return ""
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
	t.noteReworded(ctx)
	if err := t.st.notePending(t.pending().withMeanings(t.changes)); err != nil {
		return err
	}
	t.journal(ctx, t.written("", t.blocked))
	return nil
}

// written is the act as the journal is told of it.
func (t *transaction) written(commit, why string) written {
	w := written{changes: t.changes, subject: "memory: " + t.w.subject(), body: t.w.Message, trailers: t.w.trailers(t.st.Scope), commit: commit, why: why}
	if commit != "" {
		w.blobs = t.blobs
	}
	return w
}

// commitChanges commits files that somebody else changed, or that waited, and tells
// the journal.
func (t *transaction) commitChanges(ctx context.Context, changes []FileChange, subject, body string, trailers []gitops.Trailer) (string, error) {
	commit, err := t.commitPaths(ctx, changes, subject, body, trailers)
	if commit != "" {
		t.head = commit
		if blobs, err := t.st.blobsAt(ctx, commit, changes); err == nil {
			t.noteRecent(changes, blobs)
		}
		t.journal(ctx, written{changes: changes, subject: "memory: " + subject, body: body, trailers: trailers, commit: commit})
	}
	return commit, err
}

// commitPaths commits the changed files. Where a git of the person's committed them
// at that very moment, theirs is the commit.
func (t *transaction) commitPaths(ctx context.Context, changes []FileChange, subject, body string, trailers []gitops.Trailer) (string, error) {
	commit, err := t.st.commit(ctx, changes, subject, body, trailers)
	if commit == "" && err == nil && t.st.Repo != nil {
		// Not to know whose commit has it is no failure: it is committed.
		commit, _ = t.st.Repo.LastChange(ctx, t.head, t.st.gitPaths(changes))
	}
	return commit, err
}

// commitFault is the reason for a commit that failed after the write.
func commitFault(err error) string {
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
	left := slices.DeleteFunc(slices.Clone(changes), func(c FileChange) bool { return c.After == nil })
	return st.Repo.Commit(ctx, gitops.CommitRequest{
		Paths:    st.gitPaths(changes),
		There:    st.gitPaths(left),
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
	return t.blocked != "" && t.blocked != WhyNoRepository && (t.w.Automatic || gitops.HandsOff(t.blocked))
}

// inOperation reports whether a merge, cherry-pick or revert that has not ended changes
// one of the act's files. A second change of it in the worktree would keep the person
// from giving the operation up: git does not take back then what else it brought.
func (t *transaction) inOperation(ctx context.Context) bool {
	switch t.blocked {
	case gitops.WhyMerge, gitops.WhyCherryPick, gitops.WhyRevert:
		return !t.w.Automatic && t.st.Repo.Restaged(ctx, t.st.gitPaths(t.changes))
	}
	return false
}

// blocked says why nothing can be committed to the store now, "" where it can. Another git
// is waited for as long as patience. Errors: *settings.ValueError.
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
	const limit = 60
	if runes := []rune(key); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return key
}

func (w Write) trailers(scope string) []gitops.Trailer {
	if len(w.parts) > 0 {
		return partTrailers(w.parts, scope)
	}
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
