// Package undo holds the acts that bring back an earlier state: undo, redo and restore.
package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// UndoRequest names what to undo: a commit, or else the last command of this worktree that is not undone.
type UndoRequest struct {
	memory.Options
	Commit string
}

// Undo reverts the last command of this worktree that is not undone, in each scope that it changed, or the changes of the named
// commit. If the last command is a write that is still pending, Undo drops it from the queue. One rule holds for each record:
// as the act left it, it is put back; as it was before the act, nothing happens; otherwise the undo is refused. Errors:
// *fault.Error nothing-to-undo.
func Undo(ctx context.Context, ss *store.Stores, req UndoRequest) ([]memory.Write, error) {
	stores, _ := memory.StoresOf(ctx, ss, req.Scope) // of a store that cannot be read, there is nothing to undo
	for _, st := range stores {                      // a killed act counts as the last one, too
		if killed, err := txn.Unfinished(ctx, st); err == nil && killed != nil {
			if _, err := txn.FinishPending(ctx, st, req.Wait()); err != nil {
				return nil, err
			}
		}
	}
	acts, err := ledger.Acts(ctx, ss, ledger.Undoing)
	if err != nil {
		return nil, err
	}
	if req.Commit != "" {
		r, err := findCommit(ctx, ss, req, acts)
		if err != nil {
			return nil, err
		}
		return keptAgain(ctx, "undo", []*reversal{r}, nil, acts)
	}
	acts = slices.DeleteFunc(acts, func(rec ledger.ActRecord) bool {
		return rec.Act == "init" || req.Scope != "" && rec.Scope != req.Scope
	})
	if st, q := lastPending(stores, acts); st != nil {
		w, err := dropPending(ctx, ss, req, st, q)
		return []memory.Write{w}, err
	}
	return undoLast(ctx, ss, req, acts)
}

// undoLast undoes the newest of the acts that still has an effect, with the other acts of its command.
func undoLast(ctx context.Context, ss *store.Stores, req UndoRequest, acts []ledger.ActRecord) ([]memory.Write, error) {
	var skipped []string
	var parts []*reversal
	away := map[string]bool{} // the commands of which a part is not on this branch
	for _, rec := range slices.Backward(acts) {
		if len(parts) > 0 && !sameCommand(rec, parts[0].record) || away[rec.Command] {
			continue
		}
		if rec.LetIn() {
			continue // goes with the act that let it in
		}
		if rec.IsDrop() {
			if answers, err := requeue(ctx, ss, req, rec); len(answers) > 0 || err != nil {
				return answers, err
			}
			skipped = append(skipped, skip(rec, nil, "purged"))
			continue
		}
		r := &reversal{UndoRequest: req, ss: ss, record: rec}
		why, err := r.load(ctx)
		switch {
		case err != nil:
			return nil, err
		case why == "":
			parts = append(parts, r)
		case r.gone && len(parts) > 0: // half of a command undone would be a loss after a merge
			return nil, notUndone(rec.Act, "a part of that command is not on this branch", "git switch BRANCH")
		case len(parts) == 0:
			away[rec.Command] = r.gone && rec.Command != ""
			skipped = append(skipped, skip(rec, r.names(), why))
		}
	}
	if len(acts) == 0 {
		if err := withoutHistory(ctx, ss); err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 {
		message := strings.Join(append([]string{"there are no more changes to undo in this worktree"}, fault.Texts(skippedNote(skipped))...), "; ")
		return nil, nothingToUndo(message, "memctl log --all", "memctl undo COMMIT")
	}
	return keptAgain(ctx, "undo", parts, skippedNote(skipped), acts)
}

// sameCommand reports whether one command made both acts, as a move from one scope to another does.
func sameCommand(a, b ledger.ActRecord) bool { return a.Command != "" && a.Command == b.Command }

// skip names an act that undo skips, and the reason.
func skip(rec ledger.ActRecord, names []string, why string) string {
	return memory.Quoted(strings.TrimSpace(rec.Act+" "+strings.Join(names[:min(len(names), 3)], ", "))) + " (" + why + ")"
}

// mostSkipped is how many skipped acts a note names; it counts the rest.
const mostSkipped = 3

// skippedNote is the note that names the acts that undo skips, if any.
func skippedNote(skipped []string) []fault.Note {
	if len(skipped) == 0 {
		return nil
	}
	note := "undo skips " + strings.Join(skipped[:min(len(skipped), mostSkipped)], ", ")
	if more := len(skipped) - mostSkipped; more > 0 {
		note += fmt.Sprintf(" and %d more", more)
	}
	return []fault.Note{fault.NewNote("undo-skips", note)}
}

// Redo reverts the last undo of this worktree that no redo has reverted yet, with new commits. It is an ordinary act: undo
// reverts it like any other. Only a person may redo. Errors: *fault.Error nothing-to-redo.
func Redo(ctx context.Context, ss *store.Stores, req memory.Options) ([]memory.Write, error) {
	if err := req.Permit("redo", memory.StateAbsent, "memctl undo --redo"); err != nil {
		w, err := req.Answer("redo", "", req.Scope).Refused(err)
		return []memory.Write{w}, err
	}
	undos, err := ledger.Undos(ctx, ss)
	if err != nil {
		return nil, err
	}
	var parts []*reversal
	for _, rec := range slices.Backward(undos) {
		if req.Scope != "" && rec.Scope != req.Scope || len(parts) > 0 && !sameCommand(rec, parts[0].record) {
			continue
		}
		r := &reversal{UndoRequest: UndoRequest{Options: req}, ss: ss, record: rec}
		switch why, err := r.load(ctx); {
		case err != nil:
			return nil, err
		case why != "" && len(parts) == 0:
			return nil, nothingToRedo("the last undo has no effect that redo could revert (" + why + ")")
		case why == "":
			parts = append(parts, r)
		}
	}
	if len(parts) == 0 {
		if err := withoutHistory(ctx, ss); err != nil {
			return nil, err
		}
		return nil, nothingToRedo("there is no undo in this worktree to redo")
	}
	return keptAgain(ctx, "redo", parts, nil, nil)
}

// withoutHistory is the error if the session's folder is not in a repository.
func withoutHistory(ctx context.Context, ss *store.Stores) error {
	if st, err := ss.Session(ctx); err == nil && st.Repo == nil {
		return memory.NoHistory(ss, st)
	}
	return nil
}

func nothingToUndo(message string, hints ...string) error {
	return &fault.Error{Code: "nothing-to-undo", Status: 1, Cause: message, Hints: hints}
}

func nothingToRedo(message string) error {
	return &fault.Error{Code: "nothing-to-redo", Status: 1, Cause: message, Hints: []string{"memctl log"}}
}

// run reverts the acts of one command, each with one write in its scope. It checks all of them before the first write.
func run(ctx context.Context, act string, parts []*reversal, notes []fault.Note) (answers []memory.Write, err error) {
	for _, r := range parts[1:] {
		if err := r.check(ctx); err != nil {
			w := r.Answer(act, r.names()[0], r.store.Scope)
			_, err = w.Settle(txn.Outcome{}, err)
			return []memory.Write{w}, err
		}
	}
	for _, r := range parts {
		part, err := r.run(ctx, act)
		for i, w := range part { // a record that the command moved has one line for both scopes
			j := slices.IndexFunc(answers, func(before memory.Write) bool { return before.Key == w.Key && before.Saved != "" })
			if j >= 0 && strings.HasSuffix(answers[j].Saved, removed) {
				answers[j].Saved = ""
			} else if j >= 0 {
				part[i].Saved = ""
			}
		}
		answers = append(answers, part...)
		if err != nil || slices.ContainsFunc(part, func(w memory.Write) bool { return len(w.Findings) > 0 }) {
			return answers, err
		}
	}
	if len(answers) > 0 {
		answers[0].Notes = append(notes, answers[0].Notes...)
	}
	return answers, nil
}

// run reverts the changes of one act as one write.
func (r *reversal) run(ctx context.Context, act string) ([]memory.Write, error) {
	names := r.names()
	undoes := r.record.ID
	if act == "redo" { // the act that it brings back stays undone, and undo reverts the redo itself
		undoes = ""
	}
	out, err := r.Update(ctx, r.store, txn.Write{Act: act, Keys: names, Undoes: undoes, Files: true, Change: r.revert})
	var refusal *memory.Refusal
	if errors.As(err, &refusal) && slices.Contains(names, refusal.About) {
		names = []string{refusal.About}
	}
	answers := make([]memory.Write, 0, len(names))
	for _, name := range names {
		w := r.Answer(act, name, r.store.Scope)
		made, failed := w.Settle(out, err)
		if failed != nil {
			return nil, failed
		}
		if made && out.Changed {
			w.Saved = r.lineOf(act, name)
		}
		if made && r.Explicit() {
			w.Notes = append(w.Notes, memory.StillBinds(ctx, out, r.store, name)...)
		}
		answers = append(answers, w)
	}
	if len(r.left) > 0 && len(answers) > 0 {
		answers[0].Notes = append(answers[0].Notes, fault.NewNote("purged-left-out", strings.Join(r.left, ", ")+": purged, so undo leaves it out"))
	}
	return answers, nil
}

// removed ends the line about a record that a redo removed.
const removed = " is removed"

// lineOf is the line about one record: the act, and the value that the act had changed or that is there again.
func (r *reversal) lineOf(act, name string) string {
	line := strings.TrimSpace("Undone: "+policy.Inert(memory.Redacted(r.record.Act))) + " " + policy.Inert(name) // no act: a person's commit
	if act == "redo" {
		line = "Redone: " + policy.Inert(name)
	}
	for _, c := range r.changes {
		if c.name != name || c.Kind == memfile.DeltaTombstone {
			continue
		}
		before, after := c.texts()
		switch {
		case act == "redo" && before != "":
			return line + " = " + before
		case act == "redo" && (c.file == nil || c.file.Before == nil):
			return line + removed
		case r.Explicit() && c.Before != nil && c.After != nil && !memfile.Equal(c.Before.Value, c.After.Value):
			return line + "; the value is again: " + before
		case after+before != "":
			return line + " = " + cmp.Or(after, before)
		}
	}
	return line
}
