package txn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// waitingFiles are the files of all acts that wait, this one's among them, which git can
// add: those that are there, and those that HEAD has. The paths are the repository's.
func (p *plan) waitingFiles(ctx context.Context) []string {
	list, err := ledger.OpenActs(p.st, ledger.ActWaits)
	if err != nil {
		list = nil
	}
	seen := map[string]bool{}
	var changes []store.FileChange
	for _, rec := range append(list, p.act) {
		for _, sum := range rec.Sums {
			if !seen[sum.Path] {
				changes = append(changes, store.FileChange{Path: sum.Path})
			}
			seen[sum.Path] = true
		}
	}
	return slices.DeleteFunc(p.st.GitPaths(changes), func(name string) bool {
		if _, err := os.Lstat(filepath.Join(p.st.Repo.Root, filepath.FromSlash(name))); err == nil {
			return false
		}
		_, in, err := object.FileAt(ctx, p.st.Repo, "HEAD", name)
		return err != nil || !in
	})
}

// pendingHere tells which of the acts are in the worktree, whole: read from the newest back,
// each one's result is what the next began with, and the last result is what is on disk.
// Those of which HEAD has a file otherwise wait; the others are committed (over). Acts that
// somebody stashed, reset or edited since are neither.
func (v *tree) pendingHere(ctx context.Context, list []ledger.ActRecord) (waits, over []bool, err error) {
	waits, over = make([]bool, len(list)), make([]bool, len(list))
	at := map[string]string{}  // the digest that the act before must have made
	fresh := map[string]bool{} // HEAD has none of the file's results so far
	for i, rec := range slices.Backward(list) {
		whole, open := len(rec.Sums) > 0, false
		for _, f := range rec.Sums {
			if _, known := at[f.Path]; !known {
				data, err := v.disk(f.Path)
				if err = errors.Join(err, ctx.Err()); err != nil {
					return nil, nil, err
				}
				at[f.Path], fresh[f.Path] = contents.DigestOf(data), true
			}
			// From what HEAD has on, the older acts are committed.
			fresh[f.Path] = fresh[f.Path] && at[f.Path] != contents.DigestOf(v.committed(ctx, f.Path))
			whole = whole && at[f.Path] == f.After
			open = open || fresh[f.Path]
		}
		if !whole {
			continue
		}
		waits[i], over[i] = open, !open
		for _, f := range rec.Sums {
			at[f.Path] = f.Before
		}
	}
	return waits, over, nil
}

// commitWaiting commits what waits in the worktree under its own acts' names, with
// one set of trailers each. What a person has committed meanwhile waits no
// longer; what is neither here nor in HEAD (stashed, or on another branch) is
// known again when it comes back.
func (t *transaction) commitWaiting(ctx context.Context) error {
	if t.st.Repo == nil {
		return nil
	}
	switch t.blocked {
	case "", WhyCommitOff, WhyStageOnly, WhyProtected: // then the person commits, and it is looked what they did
	default:
		return nil
	}
	list, err := ledger.OpenActs(t.st, ledger.ActWaits)
	if err != nil || len(list) == 0 {
		return err
	}
	v := &tree{st: t.st, now: map[string][]byte{}, head: map[string][]byte{}}
	if err := v.look(ctx, list); err != nil {
		return err
	}
	for _, rec := range list {
		for _, f := range rec.Sums {
			t.touched = append(t.touched, t.st.GitPathOf(f.Path))
		}
	}
	waits, isOver, err := v.pendingHere(ctx, list)
	if err != nil {
		return err
	}
	var ready, over []ledger.ActRecord
	for i, rec := range list {
		switch {
		case waits[i] && t.blocked == "":
			ready = append(ready, rec)
		case waits[i]:
		case isOver[i] || v.inHead(ctx, rec):
			over = append(over, rec)
		}
	}
	if len(ready) > 0 {
		if t.src, err = v.disk(memfile.FileName); err != nil {
			return err
		}
		if done, err := t.commitReady(ctx, v, ready); err != nil || !done {
			return err
		}
	}
	for _, rec := range append(over, ready...) {
		if err := ledger.AddLine(t.st, ledger.Line{ID: rec.ID, State: ledger.ActDone, Why: rec.Why}, false); err != nil {
			return err
		}
	}
	return nil
}

// inHead reports whether what the act made is what HEAD has.
func (v *tree) inHead(ctx context.Context, rec ledger.ActRecord) bool {
	return !slices.ContainsFunc(rec.Sums, func(f ledger.FileSum) bool { return f.After != contents.DigestOf(v.committed(ctx, f.Path)) })
}

// commitWords are the subject of the acts' commit and the person's words for them.
func commitWords(ready []ledger.ActRecord, trailers []object.Trailer) (subject, message string) {
	if len(ready) == 1 {
		return ready[0].Subject, ready[0].Message
	}
	acts := 0
	for _, tr := range trailers {
		if tr.Name == ledger.TrailerAct {
			acts++
		}
	}
	var messages []string
	for _, rec := range ready {
		if rec.Message != "" && !slices.Contains(messages, rec.Message) {
			messages = append(messages, rec.Message)
		}
	}
	return fmt.Sprintf("commit pending writes (%d)", acts), strings.Join(messages, "\n\n")
}

// commitReady commits the files of the acts. done is false where it
// could not: they go on waiting.
func (t *transaction) commitReady(ctx context.Context, v *tree, ready []ledger.ActRecord) (done bool, err error) {
	var changes []store.FileChange
	var trailers []object.Trailer
	seen := map[string]bool{}
	for _, rec := range ready {
		trailers = append(trailers, rec.Trailers...)
		for _, f := range rec.Sums {
			if seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			data, err := v.disk(f.Path)
			if err != nil {
				return false, err
			}
			changes = append(changes, store.FileChange{Path: f.Path, Before: v.committed(ctx, f.Path), After: data})
		}
	}
	for _, c := range changes {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		// A person's edit from before the first of them may be in it too.
		if found := policy.ScanFile(c.Path, c.After); len(found) > 0 {
			if c.Path == memfile.FileName {
				return false, nil // the look at the memory file itself says so
			}
			return false, Secret(t.st.Scope, c.Path, found[0])
		}
	}
	subject, message := commitWords(ready, trailers)
	commit, err := t.commitChanges(ctx, changes, subject, message, trailers)
	if commit == "" && err != nil {
		t.blocked = commitFault(err)
		return false, nil
	}
	if commit == "" && !v.allInHead(ctx, ready) {
		return false, nil // another program took them back: they are known again when they come back
	}
	for _, c := range changes {
		if c.Path == memfile.FileName {
			t.noteEdit(ctx, c.Before, c.After)
		}
	}
	for _, rec := range ready {
		t.mended = append(t.mended, "committed pending writes: "+rec.Subject)
	}
	return true, nil
}
