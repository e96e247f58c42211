// Package undo holds the acts that bring back what was: undo, redo and restore.
package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// Undo takes back the last act of this worktree that is not undone, or what
// the named commit changed. A write that still waits is dropped if it was the last. It changes items, never the file as a whole: what
// has changed since is refused.
func Undo(ctx context.Context, ss *store.Stores, req UndoRequest) ([]memory.Write, error) {
	u := &undoing{UndoRequest: req, ss: ss}
	if err := u.endKilled(ctx); err != nil {
		return nil, err
	}
	if req.Commit == "" {
		st, last, err := u.lastWaiting(ctx)
		if err != nil {
			return nil, err
		}
		if st != nil {
			w, err := u.drop(ctx, st, last)
			return []memory.Write{w}, err
		}
	}
	if err := u.find(ctx); err != nil {
		return nil, err
	}
	if len(u.dropped) > 0 {
		return u.putBackDropped(ctx)
	}
	if len(u.changes) == 0 {
		return nil, &fault.Error{Code: "nothing-to-undo", Status: 1, Cause: memory.Quoted(u.name()) + ": changed no item, so there is nothing to undo", Hints: []string{"memctl log"}}
	}
	return u.run(ctx, "undo")
}

// run reverses the changes that find or load read, as one write of that act.
func (u *undoing) run(ctx context.Context, act string) ([]memory.Write, error) {
	req := u.UndoRequest
	notes := u.passedNotes()
	left := u.leaveOutPurged()
	all := namesOf(u.changes)
	keys := all
	if from, to := renamed(u.changes); from != "" {
		keys = slices.DeleteFunc(slices.Clone(all), func(key string) bool { return key == to })
	}
	answers := make([]memory.Write, len(keys))
	for i, key := range keys {
		answers[i] = req.Answer(act, key, u.store.Scope)
	}
	undoes := u.record.ID
	if u.redo { // the act that it brings back stays undone, and the redo itself is what undo takes back next
		undoes = ""
	}
	out, err := req.Update(ctx, u.store, txn.Write{Act: act, Keys: all, Undoes: undoes, Files: true, Change: u.change})
	if fault := u.answered(ctx, answers, keys, out, err); fault != nil {
		return nil, fault
	}
	answers = onlyRefused(answers, keys, err)
	if len(answers) == 0 {
		return nil, nil
	}
	first := &answers[0]
	if first.Notes = append(notes, first.Notes...); err == nil {
		if u.half != "" {
			first.Notes = append(first.Notes, "the move changed "+u.half+" too: run memctl undo again to undo that")
		}
		for _, name := range left {
			first.Notes = append(first.Notes, memory.Quoted(name)+": was purged, and is left out")
		}
		first.Notes = append(first.Notes, u.stillHeld(ctx, out)...)
	}
	return answers, nil
}

// stillHeld tells a person what still has the values that an undone act had stored.
func (u *undoing) stillHeld(ctx context.Context, out txn.Outcome) []string {
	if !u.Explicit() || u.redo || u.record.Commit == "" || out.Commit == "" || u.record.Act == "move" || u.record.Act == "import" {
		return nil
	}
	held, stored := upkeep.Holders{Store: u.store}, false
	for _, c := range u.changes {
		v := c.value()
		back := func(d change) bool { return d.before() != nil && memfile.Equal(*d.before(), *v) }
		if v == nil || c.After == nil && c.is == nil || slices.ContainsFunc(u.changes, back) {
			continue
		}
		stored = true
		if held.Add(c.name, *v) && !held.Pushed {
			held.Pushed = contents.Pushed(ctx, u.store, u.record.Commit)
		}
	}
	if !stored {
		return nil
	}
	return held.Notes()
}

// endKilled ends the acts that killed processes left, so that undo knows them.
func (u *undoing) endKilled(ctx context.Context) error {
	stores, err := memory.StoresOf(ctx, u.ss, u.Scope)
	if err != nil {
		return nil // the act itself tells of the error
	}
	for _, st := range stores {
		if _, _, killed, err := txn.Unfinished(ctx, st); err == nil && killed {
			if _, err := txn.FinishPending(ctx, st, u.Wait()); err != nil {
				return err
			}
		}
	}
	return nil
}

// onlyRefused leaves of the answers the one whose key an undo of several was refused for.
func onlyRefused(answers []memory.Write, keys []string, err error) []memory.Write {
	var r *memory.Refusal
	if !errors.As(err, &r) || len(keys) == 1 {
		return answers
	}
	if i := slices.Index(keys, r.About); r.About != "" && i >= 0 {
		answers = answers[i : i+1]
		answers[0].Notes = append(answers[0].Notes, fmt.Sprintf("so undo changed none of the %d items of that act", len(keys)))
	}
	return answers
}

// answered fills in what became of the undo of the keys. Errors: its own, where that is
// no refusal.
func (u *undoing) answered(ctx context.Context, answers []memory.Write, keys []string, out txn.Outcome, err error) error {
	for i := range answers {
		w := &answers[i]
		made, fault := w.Settle(out, err)
		if fault != nil {
			return fault
		}
		if !made {
			continue
		}
		if out.Changed {
			w.Saved = u.undone(keys[i])
			if u.redo {
				w.Saved = u.redone(keys[i])
			}
		}
		if u.Explicit() {
			w.Notes = append(w.Notes, memory.StillBinds(ctx, out, u.store, keys[i])...)
		}
	}
	return nil
}

// leaveOutPurged leaves the items and the entries whose value was purged out of the act, each with its
// tombstone, and returns their names, so that the rest of the act can be undone. An act of nothing
// else stays whole and is refused.
func (u *undoing) leaveOutPurged() []string {
	names := namesOf(slices.DeleteFunc(slices.Clone(u.changes), func(c change) bool { return c.TombAfter != nil || !c.purged() }))
	left := slices.DeleteFunc(slices.Clone(u.changes), func(c change) bool { return c.purgedTombstone() || slices.Contains(names, c.name) })
	if len(names) == 0 || len(left) == 0 {
		return nil
	}
	u.changes = left
	return names
}

// undone says what undo took back of a key or an id: the act, where it is known, and the beginning
// of the text that it was about.
func (u *undoing) undone(name string) string {
	if from, to := renamed(u.changes); from == name {
		return "Undone: rename " + policy.Inert(from) + " to " + policy.Inert(to)
	}
	text := ""
	for _, c := range u.changes {
		if c.name != name {
			continue
		}
		if v := c.value(); v != nil && text == "" {
			text = " = " + memory.Beginning(memory.Redacted(v.Plain()))
		}
		if u.Explicit() && c.Before != nil && c.After != nil && !memfile.Equal(c.Before.Value, c.After.Value) {
			text = "; the value is again: " + memory.Beginning(memory.Redacted(c.Before.Value.Plain()))
			break
		}
	}
	return "Undone: " + strings.TrimSpace(policy.Inert(memory.Redacted(u.record.Act))+" "+policy.Inert(name)+text)
}

// undoing is one undo under way.
type undoing struct {
	UndoRequest
	ss      *store.Stores
	store   *store.Store
	record  ledger.ActRecord
	changes []change
	// gone: the act's commit is not on the branch; earlier is the newest act's that is.
	gone    bool
	earlier string
	passed  []string         // notes of the acts of which nothing was left
	dropped []ledger.Waiting // what the act dropped from the queue, if it did only that
	half    string           // the scope of the other half of a move that is not undone yet
	redo    bool             // reverses an undo: see Redo
}

func (u *undoing) name() string {
	if u.Commit != "" {
		return u.Commit
	}
	return u.record.Act
}

// findCommit looks for the commit in the stores that there are.
func (u *undoing) findCommit(ctx context.Context) error {
	stores, err := memory.HistoryStores(ctx, u.ss, u.Scope)
	if err != nil {
		return err
	}
	var failed error
	for _, st := range stores {
		u.store = st
		if failed = u.readCommit(ctx, u.Commit); failed == nil {
			u.gone = !contents.InHistory(ctx, st, u.record.Commit)
			return u.stillTakenOut(ctx)
		}
	}
	return failed
}

func (u *undoing) readCommit(ctx context.Context, commit string) error {
	v, ok, err := contents.CommitChange(ctx, u.store, commit)
	if err == nil && u.record.Act == "" {
		err = u.findRecord(ctx, commit)
	}
	if err != nil {
		return err
	}
	folder := "."
	if u.record.Act == "" { // skills and instructions in a commit that no act made are not memctl's
		folder = entry.Root
	}
	id, files, err := contents.CommitFiles(ctx, u.store, commit, folder)
	files = slices.DeleteFunc(files, func(f store.FileChange) bool { return store.CheckFilePath(f.Path) != nil })
	if err != nil {
		return err
	}
	if !ok && len(files) == 0 {
		return &fault.Error{Code: "no-memory-change", Status: 1, Hints: []string{"memctl log", "git revert " + policy.Inert(memory.Redacted(commit))}, Cause: memory.Quoted(commit) + ": did not change the memory file"}
	}
	if contents.CutOff(u.store, id) {
		return &fault.Error{Code: "shallow-clone", Status: 1, Cause: memory.Quoted(commit) + ": is the oldest commit of this shallow clone, so its changes are not known here", Hints: []string{"git fetch --unshallow"}}
	}
	var deltas []memfile.Delta
	if ok {
		deltas = v.Deltas()
	}
	u.record.Commit, u.changes = id, changesOf(deltas, files)
	return nil
}

// findRecord finds the act that made the commit, so that it counts as undone.
func (u *undoing) findRecord(ctx context.Context, commit string) error {
	id, err := object.Resolve(ctx, u.store.Repo, commit)
	if err != nil {
		return err
	}
	acts, err := ledger.Acts(ctx, u.ss)
	for _, rec := range acts {
		if rec.Commit == id {
			u.record = rec
		}
	}
	return err
}

// stillTakenOut refuses the undo of an import while a later act has the lines out of the file that it read:
// they would be nowhere.
func (u *undoing) stillTakenOut(ctx context.Context) error {
	acts, err := ledger.Acts(ctx, u.ss)
	if u.record.Act != "import" || err != nil {
		return err
	}
	for _, rec := range slices.Backward(acts) {
		if rec.ID == u.record.ID {
			break
		}
		if rec.Act != "take-out" && rec.Act != "redo" || rec.Commit == "" || rec.Scope != store.Project {
			continue
		}
		_, files, err := contents.CommitFiles(ctx, u.store, rec.Commit, ".")
		if err == nil && slices.ContainsFunc(files, func(f store.FileChange) bool { return store.IsInstructions(f.Path) }) {
			return &fault.Error{Code: "not-undone", Status: 1, Hints: []string{"memctl undo " + rec.Commit[:min(len(rec.Commit), 8)]},
				Cause: memory.Quoted(u.name()) + ": its lines were taken out of the file since, so they would be lost"}
		}
	}
	return nil
}

// change reverts each change of the act.
func (u *undoing) change(d *txn.Draft) error {
	if !u.Explicit() {
		for _, c := range u.changes {
			if err := u.permitted(c); err != nil {
				return err
			}
		}
	}
	for _, c := range u.changes {
		if err := u.revert(d, c); err != nil {
			return err
		}
	}
	return nil
}

func (u *undoing) changedSince(c change) error {
	if u.redo {
		return nothingToRedo(memory.Quoted(c.name)+": has changed since the undo", policy.Inert(c.name))
	}
	name := policy.Inert(c.name)
	message, hints := "it has changed since, so undo would lose a newer value", []string{"memctl log " + name, "memctl restore " + name}
	if c.file != nil && store.IsInstructions(c.file.Path) && !u.gone {
		message, hints = "the file was removed since", []string{"git revert " + u.record.Commit[:min(len(u.record.Commit), 8)]}
	}
	if u.gone {
		// Its commit was reset or rebased away, or is another branch's, and what it did with it.
		message, hints = "it has changed since, and the commit of that change is not on this branch", []string{"memctl restore " + name + " --from journal"}
		if u.Commit == "" {
			message += " any more"
		}
		message += ": there is nothing here to undo"
		if slices.ContainsFunc(u.changes, func(d change) bool { return d.Before != nil && d.After == nil && d.name == c.name }) {
			hints = []string{"memctl forget " + name}
		}
		if u.earlier != "" {
			hints = append(hints, "memctl undo "+u.earlier)
		}
	}
	r := memory.Refuse(memory.RuleChanged, message, hints...)
	r.About = c.name
	return r
}

// UndoRequest takes back the last act of this worktree that is not undone, or the named commit.
type UndoRequest struct {
	memory.Options
	Commit string
}
