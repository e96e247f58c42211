package txn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// waitingFiles are the act's files that git can add: those that are there, and those that HEAD has. The paths are the
// repository's.
func (p *plan) waitingFiles(ctx context.Context) []string {
	return slices.DeleteFunc(p.st.GitPaths(p.changes), func(name string) bool {
		if _, err := os.Lstat(filepath.Join(p.st.Repo.Root, filepath.FromSlash(name))); err == nil {
			return false
		}
		return !worktree.CommitHas(ctx, p.st.Repo, p.head, name)
	})
}

// commitWaiting commits what waits in the worktree under its own acts' names, with
// one set of trailers each. What a person has committed meanwhile waits no longer. What is
// not in the worktree (stashed, edited, or on another branch) is known again when it comes back.
// t.waits are the acts that go on waiting.
func (t *transaction) commitWaiting(ctx context.Context, list []*ledger.OpenAct) error {
	if len(list) == 0 {
		return nil
	}
	t.waits = idsOf(list)
	now, err := t.filesNow(ctx, list)
	if err != nil {
		return err
	}
	paths, data := t.st.GitPaths(now), map[string][]byte{}
	for i, c := range now {
		data[paths[i]] = c.After
	}
	t.pendingPaths = append(t.pendingPaths, paths...)
	dirty, err := worktree.DirtyFiles(ctx, t.st.Repo, paths, func(p string) []byte { return data[p] })
	if err != nil { // what git cannot look at, it cannot commit
		t.blocked = cmp.Or(t.blocked, commitFault(err))
		return ctx.Err()
	}
	in := t.inWorktree(ctx, list, data)
	var ready, later []*ledger.OpenAct
	for _, a := range list {
		waits := slices.ContainsFunc(a.Files, func(f object.ChangedFile) bool { return dirty[t.st.GitPathOf(f.Path)].Dirty })
		switch {
		case in[a] && waits:
			ready = append(ready, a)
		case !in[a] && !t.inHead(ctx, a):
			later = append(later, a)
		}
	}
	done := true
	if len(ready) > 0 {
		done, err = t.commitReady(ctx, now, ready)
	}
	if done {
		t.waits = idsOf(later)
	}
	return err
}

// idsOf names acts in the journal.
func idsOf(list []*ledger.OpenAct) (ids []string) {
	for _, a := range list {
		if a.ID != "" {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// filesNow are the files of the acts, each once, as they are on disk.
func (t *transaction) filesNow(ctx context.Context, list []*ledger.OpenAct) (now []store.FileChange, err error) {
	seen := map[string]bool{}
	for _, a := range list {
		for _, f := range a.Files {
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			data, err := contents.FileBytes(t.st, f.Path)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return nil, err
			}
			now = append(now, store.FileChange{Path: f.Path, After: data})
		}
	}
	return now, nil
}

// inWorktree returns the acts whose changes are all in the worktree: each file is on disk as the
// act left it, or was so when a later one of these acts began.
func (t *transaction) inWorktree(ctx context.Context, list []*ledger.OpenAct, now map[string][]byte) map[*ledger.OpenAct]bool {
	at, in := map[string]string{}, map[*ledger.OpenAct]bool{}
	for _, a := range slices.Backward(list) {
		if slices.ContainsFunc(a.Files, func(f object.ChangedFile) bool {
			name := t.st.GitPathOf(f.Path)
			if blob, known := at[f.Path]; known {
				return blob != f.After
			}
			return !ledger.IsBlob(ctx, t.st, f.After, name, now[name])
		}) {
			continue
		}
		in[a] = true
		for _, f := range a.Files {
			at[f.Path] = f.Before
		}
	}
	return in
}

// inHead reports whether HEAD has what the act made, which somebody has changed on disk since.
func (t *transaction) inHead(ctx context.Context, a *ledger.OpenAct) bool {
	var names []string
	for _, f := range a.Files {
		names = append(names, t.st.GitPathOf(f.Path))
	}
	head, _, err := object.BlobsAt(ctx, t.st.Repo, t.head, names)
	return err == nil && !slices.ContainsFunc(a.Files, func(f object.ChangedFile) bool { return head[t.st.GitPathOf(f.Path)] != f.After })
}

// commitWords are the subject of the acts' commit and the person's words for them.
func commitWords(ready []*ledger.OpenAct, trailers []object.Trailer) (subject, message string) {
	if len(ready) == 1 {
		return ready[0].Subject(), ready[0].Message()
	}
	acts := 0
	for _, tr := range trailers {
		if tr.Name == ledger.TrailerAct {
			acts++
		}
	}
	var messages []string
	for _, rec := range ready {
		if text := rec.Message(); text != "" && !slices.Contains(messages, text) {
			messages = append(messages, text)
		}
	}
	return fmt.Sprintf("commit pending writes (%d)", acts), strings.Join(messages, "\n\n")
}

// commitReady commits the files of the acts. done is false where it
// could not: they go on waiting.
func (t *transaction) commitReady(ctx context.Context, now []store.FileChange, ready []*ledger.OpenAct) (done bool, err error) {
	if t.blocked != "" {
		return false, nil
	}
	if t.src, err = contents.MemoryBytes(t.st); err != nil {
		return false, err
	}
	var trailers []object.Trailer
	of := map[string]bool{}
	for _, rec := range ready {
		trailers = append(trailers, rec.Trailers()...)
		for _, f := range rec.Files {
			of[f.Path] = true
		}
	}
	changes := slices.DeleteFunc(now, func(c store.FileChange) bool { return !of[c.Path] })
	for i, c := range changes {
		// A person's edit from before the first of them may be in it too.
		if found := policy.ScanFile(c.Path, c.After); len(found) > 0 {
			if c.Path == memfile.FileName {
				return false, nil // the look at the memory file itself says so
			}
			return false, Secret(t.st.Scope, c.Path, found[0])
		}
		if c.Path == memfile.FileName {
			changes[i].Before, _, _ = contents.StoredAt(ctx, t.st, "HEAD")
		}
	}
	subject, message := commitWords(ready, trailers)
	commit, err := t.commitChanges(ctx, changes, subject, message, trailers)
	if commit == "" { // without an error another program committed them or took them back: the next act sees which
		t.blocked = commitFault(err)
		return false, nil
	}
	t.noteEdit(ctx, slices.DeleteFunc(changes, func(c store.FileChange) bool { return c.Path != memfile.FileName }), nil)
	for _, rec := range ready {
		t.finished = append(t.finished, fault.NewNote("pending-committed", "committed pending writes: "+rec.Subject()))
	}
	return true, nil
}
