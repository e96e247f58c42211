package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Write is one act's change of one store.
type Write struct {
	Act       string                        // add, forget, …: the trailer Memory-Act
	Keys      []string                      // what it is about: one trailer Memory-Key each
	Source    string                        // the trailer Memory-Source, where there is one
	Message   string                        // the person's own words for the commit
	Origin    string                        // on whose behalf, for the act record
	Automatic bool                          // waits in the queue where it cannot be committed
	Wait      time.Duration                 // for the lock
	Create    bool                          // makes the memory file where there is none
	DryRun    bool                          // the same, but nothing is written
	Undoes    string                        // the act record that this one takes back
	Change    func(*memfile.Document) error // edits the document; its error ends the act
	Forgotten map[string]memfile.Value      // values to remember as forgotten, by key
}

// Outcome is what became of a write.
type Outcome struct {
	Changed bool
	Commit  string // "" where nothing was committed; Why says why
	Why     string
	Before  memfile.Document
	After   memfile.Document
	Diff    string // with DryRun: a unified diff of the memory file
	Notes   []string
}

// The reasons that stand in Outcome.Why beside gitops' own.
const (
	WhyUnchanged     = "nothing changed"
	WhyDryRun        = "dry run"
	WhyNoRepository  = "not a repository"
	WhyCommitOff     = "memctl.commit is off"
	WhyStageOnly     = "memctl.commit is stage"
	WhyProtected     = "protected branch"
	trailerAct       = "Memory-Act"
	projectFileMode  = 0o644
	ownStoreFileMode = 0o600
)

// Update changes the store's memory in one transaction: lock, read, change,
// check, write, commit. What a person edited by hand is committed first, as
// their change; damage that is in HEAD is recovered first.
//
// Errors: *safefile.HeldError, *DamagedError, *ForeignError, *SecretError,
// *NewerVersionError, *MissingError, *DeferredError (automatic writes only),
// and what Change returns. After an error the memory file is as it was.
func (st *Store) Update(ctx context.Context, w Write) (Outcome, error) {
	if w.Create && !w.DryRun {
		if err := st.ensure(ctx); err != nil {
			return Outcome{}, err
		}
	}
	t := &transaction{st: st, w: w}
	if !w.DryRun && st.Dir != "" {
		unlock, err := st.lock(ctx, w.Wait, w.Act)
		if err != nil {
			return Outcome{}, err
		}
		defer unlock()
	}
	delete(st.ss.memories, st.Scope)
	out, err := t.run(ctx)
	delete(st.ss.memories, st.Scope)
	return out, err
}

// transaction is one Update under way.
type transaction struct {
	st      *Store
	w       Write
	src     []byte // the file's bytes now; nil where it is not there
	blocked string // why nothing can be committed now
	// secret is one that a person's uncommitted edit holds: only an act whose
	// result is rid of it goes on.
	secret *SecretError
	notes  []string
}

func (t *transaction) run(ctx context.Context) (Outcome, error) {
	file, err := t.prepare(ctx)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Before: file.Document(), After: file.Document()}
	if err := t.w.Change(&out.After); err != nil {
		return Outcome{}, err
	}
	creates := t.src == nil && t.w.Create
	if !creates && len(memfile.Diff(out.Before, out.After)) == 0 {
		out.Why, out.Notes = WhyUnchanged, t.notes
		return out, nil
	}
	if len(memfile.Diff(out.Before, out.After)) > 0 {
		out.After.Updated = t.st.ss.Today()
	}
	next, err := file.Rewrite(out.After)
	if err != nil {
		return Outcome{}, err
	}
	if len(next) > memfile.MaxFileBytes {
		return Outcome{}, &safefile.TooLargeError{Name: t.st.Name(), Max: memfile.MaxFileBytes}
	}
	if t.secret != nil && len(policy.Scan(next)) > 0 {
		return Outcome{}, t.secret
	}
	return t.finish(ctx, out, next)
}

// finish writes the new bytes and commits them, or shows what it would do.
func (t *transaction) finish(ctx context.Context, out Outcome, next []byte) (Outcome, error) {
	out.Changed = true
	if t.w.Automatic && t.blocked != "" && t.blocked != WhyNoRepository {
		return Outcome{}, &DeferredError{Why: t.blocked}
	}
	if t.w.DryRun {
		out.Why, out.Notes, out.Diff = WhyDryRun, t.notes, t.st.preview(t.src, next)
		return out, nil
	}
	was := t.src
	if err := t.st.put(was, next); err != nil {
		return Outcome{}, err
	}
	for key, value := range t.w.Forgotten {
		if err := t.st.rememberForgotten(key, value); err != nil {
			t.notes = append(t.notes, "the forgotten value binds its own key only: "+err.Error())
		}
	}
	commit, why, err := t.commit(ctx)
	if err != nil {
		return Outcome{}, errors.Join(err, t.st.put(next, was))
	}
	out.Commit, out.Why, out.Notes = commit, why, t.notes
	if err := t.st.noteWritten(out.Before, out.After); err != nil {
		out.Notes = append(out.Notes, "under trust reviewed, this write will count as somebody else's: "+err.Error())
	}
	rec := ActRecord{Scope: t.st.Scope, Act: t.w.Act, Commit: commit, Why: why, Undoes: t.w.Undoes, Origin: t.w.Origin}
	if commit == "" && t.st.Repo != nil {
		rec.Before, rec.After = was, next
	}
	if err := t.st.ss.record(rec); err != nil {
		out.Notes = append(out.Notes, "undo will not know this act: "+err.Error())
	}
	return out, nil
}

// preview is a unified diff of the memory file, without the secrets that it
// holds.
func (st *Store) preview(was, next []byte) string {
	name := st.Name()
	if filepath.IsAbs(name) {
		name = filepath.Base(name)
	}
	return string(diff.Diff("a/"+name, policy.Redact(was), "b/"+name, policy.Redact(next)))
}

// put replaces the memory file if its bytes are still was; a nil next removes
// it.
func (st *Store) put(was, next []byte) error {
	root, err := os.OpenRoot(st.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if next == nil {
		return root.Remove(memfile.FileName)
	}
	mode := os.FileMode(projectFileMode)
	if st.Scope == User || st.Scope == Private {
		mode = ownStoreFileMode
	}
	return safefile.WriteVia(root, st.shared().dir, memfile.FileName, was, next, mode)
}

// commit commits the memory file. Where that cannot be done now, an explicit
// write stays in the file (why says why) and an automatic one is an error.
func (t *transaction) commit(ctx context.Context) (commit, why string, err error) {
	if t.blocked == "" {
		commit, err = t.st.commit(ctx, t.w.subject(), t.w.Message, t.w.trailers(t.st.Scope))
		if commit != "" && err != nil {
			t.notes = append(t.notes, err.Error()) // committed, but git could not finish
		}
		if commit != "" || err == nil {
			if err := t.st.clearDeferred(); err != nil {
				t.notes = append(t.notes, err.Error()) // the commit stands: the file stays as it is
			}
			return commit, "", nil
		}
		t.blocked = commitFault(err)
	}
	if t.blocked == WhyNoRepository {
		return "", t.blocked, nil
	}
	if t.w.Automatic {
		return "", "", &DeferredError{Why: t.blocked}
	}
	if t.blocked == WhyStageOnly {
		if err := t.st.Repo.Stage(ctx, t.st.gitPath()); err != nil {
			t.notes = append(t.notes, err.Error())
		}
	}
	return "", t.blocked, t.st.noteDeferred(t.w)
}

// commitFault is the reason for a commit that failed after the write.
func commitFault(err error) string {
	var blocked *gitops.BlockedError
	if errors.As(err, &blocked) {
		return blocked.Why
	}
	return "git commit failed: " + err.Error()
}

func (st *Store) commit(ctx context.Context, subject, body string, trailers []gitops.Trailer) (string, error) {
	form, err := st.ss.Setting(ctx, CommitSubject)
	if err != nil {
		return "", err
	}
	hooks, err := st.ss.Setting(ctx, CommitHooks)
	if err != nil {
		return "", err
	}
	if bytes.Count([]byte(form.Text), []byte("%s")) == 1 && (st.Scope == Project || st.Scope == Only) {
		subject = string(bytes.Replace([]byte(form.Text), []byte("%s"), []byte(subject), 1))
	} else {
		subject = fmt.Sprintf("memory: %s", subject)
	}
	return st.Repo.Commit(ctx, gitops.CommitRequest{
		Paths:    []string{st.gitPath()},
		Subject:  subject,
		Body:     body,
		Trailers: trailers,
		Hooks:    hooks.On(),
	})
}

// blocked says why nothing can be committed to the store now, "" where it can.
// Errors: *settings.ValueError.
func (st *Store) blocked(ctx context.Context) (string, error) {
	if st.Repo == nil {
		return WhyNoRepository, nil
	}
	config := st.ss.gitConfig(ctx)
	if st.Scope == User || st.Scope == Private {
		if own, err := st.Repo.Config(ctx); err == nil {
			config = own
		}
		return st.Repo.Blocked(ctx, config), nil
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
	return st.Repo.Blocked(ctx, config), nil
}

func (w Write) subject() string {
	switch len(w.Keys) {
	case 0:
		return w.Act
	case 1:
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
