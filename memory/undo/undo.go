// Package undo holds the acts that bring back what was: undo, redo and restore.
package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
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
	if len(u.deltas) == 0 && len(u.files) == 0 {
		return nil, &fault.Error{Code: "nothing-to-undo", Status: 1, Cause: memory.Quoted(u.name()) + ": changed no item, so there is nothing to undo", Why: "unchanged"}
	}
	return u.run(ctx, "undo")
}

// run reverses the changes that find or load read, as one write of that act.
func (u *undoing) run(ctx context.Context, act string) ([]memory.Write, error) {
	req := u.UndoRequest
	notes := u.passedNotes()
	left := u.leaveHoles()
	var keys []string
	for _, d := range u.deltas {
		if key := memory.Redacted(d.Key); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	keys = memory.Union(keys, entryNames(u.files))
	answers := make([]memory.Write, len(keys))
	for i, key := range keys {
		answers[i] = req.Answer(act, key, u.store.Scope)
	}
	out, err := req.Update(ctx, u.store, txn.Write{
		Act: act, Keys: keys,
		Undoes: u.undoes(), Files: true, Change: u.change,
	})
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
	}
	return answers, nil
}

// endKilled ends the acts that killed processes left, so that undo knows them.
func (u *undoing) endKilled(ctx context.Context) error {
	stores, err := memory.StoresOf(ctx, u.ss, u.Scope)
	if err != nil {
		return nil // the act itself tells of the error
	}
	for _, st := range stores {
		if _, _, killed, err := txn.Unfinished(ctx, st); err == nil && killed {
			if _, err := txn.Settle(ctx, st, u.Wait()); err != nil {
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
	if i := slices.Index(keys, memory.Redacted(r.About)); r.About != "" && i >= 0 {
		answers = answers[i : i+1]
		answers[0].Notes = append(answers[0].Notes, fmt.Sprintf("so undo changed none of the %d items of that act", len(keys)))
	}
	return answers
}

// answered fills in what became of the undo of the keys. Errors: its own, where that is
// no refusal.
func (u *undoing) answered(ctx context.Context, answers []memory.Write, keys []string, out txn.Outcome, err error) (fault error) {
	for i, w := range answers {
		if err != nil {
			if answers[i], fault = w.Refused(err); fault != nil {
				return fault
			}
			continue
		}
		w = w.Outcome(out)
		if out.Changed {
			w.Saved = "Undone: " + u.said(keys[i])
			if u.redo {
				w.Saved = u.redone(keys[i])
			}
		}
		if u.Explicit() {
			w.Notes = append(w.Notes, memory.StillBinds(ctx, out, u.store, keys[i])...)
		}
		answers[i] = w
	}
	return nil
}

// undoing is one undo under way.
type undoing struct {
	UndoRequest
	ss     *store.Stores
	store  *store.Store
	record ledger.ActRecord
	deltas []memfile.Delta
	files  []store.FileChange // of entries and skills
	// gone: the act's commit is not on the branch; earlier is the newest act's that is.
	gone    bool
	earlier string
	passed  []string // notes of the acts of which nothing was left
	half    string   // the scope of the other half of a move that is not undone yet
	redo    bool     // reverses an undo: see Redo
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
			return u.findRecord(ctx)
		}
	}
	return failed
}

func (u *undoing) readCommit(ctx context.Context, commit string) error {
	v, ok, err := contents.CommitChange(ctx, u.store, commit)
	if err != nil {
		return err
	}
	folders := []string{entry.Root}
	if u.record.Act != "" { // skills in a commit that no act made are not memctl's
		folders = append(folders, store.SkillFolders...)
	}
	id, files, err := contents.CommitFiles(ctx, u.store, commit, folders...)
	if err != nil {
		return err
	}
	if !ok && len(files) == 0 {
		return &fault.Error{Code: "no-memory-change", Status: 1, Cause: memory.Quoted(commit) + ": did not change the memory file"}
	}
	if contents.CutOff(u.store, id) {
		return &fault.Error{Code: "shallow-clone", Status: 1, Cause: memory.Quoted(commit) + ": is the oldest commit of this shallow clone, so its changes are not known here"}
	}
	u.record.Commit, u.files = id, files
	if ok {
		u.deltas = v.Deltas()
	}
	return nil
}

// findRecord finds the act that made the commit, so that it counts as undone.
func (u *undoing) findRecord(ctx context.Context) error {
	acts, err := ledger.Acts(ctx, u.ss)
	for _, rec := range acts {
		if rec.Commit == u.record.Commit {
			u.record = rec
		}
	}
	return err
}

// change takes the differences back, each only if what it made still stands.
func (u *undoing) change(doc *txn.Draft) error {
	for _, d := range u.deltas {
		if err := u.permitted(d); err != nil {
			return err
		}
	}
	if err := u.permittedFiles(); err != nil {
		return err
	}
	for _, d := range u.deltas {
		var err error
		switch d.Kind {
		case memfile.DeltaSetting:
			err = u.setting(doc.Document, d)
		case memfile.DeltaTombstone:
			err = u.tombstone(doc.Document, d)
		default:
			err = u.item(doc, d)
		}
		if err != nil {
			return err
		}
	}
	return doc.Add(u.takeBack())
}

// permitted refuses an agent what it could not do by itself: to take back a
// person's act, to set a switch, to lift a tombstone or to raise confidence
// above medium; and to a hook all that touched more than automatic items.
func (u *undoing) permitted(d memfile.Delta) error {
	if u.Explicit() {
		return nil
	}
	what := ""
	automatic := func(it *memfile.Item) bool { return it == nil || it.By == memfile.ByAutomatic }
	switch {
	case d.Kind == memfile.DeltaSetting:
		what = "only a person can change this switch back"
	case d.Kind == memfile.DeltaTombstone && d.TombAfter != nil:
		what = "only a person can restore what was forgotten"
	case u.record.Origin != memory.Relayed && u.record.Origin != memory.Automatic:
		what = "only a person can undo what a person did"
	case d.Before != nil && d.Before.Confidence == memfile.High && (d.After == nil || d.After.Confidence != memfile.High):
		what = "only a person can raise confidence to high"
	case u.Automatic() && (d.Kind != memfile.DeltaItem || !automatic(d.Before) || !automatic(d.After)):
		what = "unless the person asks, an agent can undo only what agents noted by themselves"
	default:
		return nil
	}
	facts := memory.Facts{}
	if u.Commit != "" {
		facts.Names = []string{policy.Inert(memory.Redacted(u.Commit))}
	}
	return memory.Refuse(memory.RuleExplicitOnly, what, facts)
}

func (u *undoing) changedSince(key string) error {
	if u.redo {
		return nothingToRedo(memory.Quoted(memory.Redacted(key))+": has changed since the undo", policy.Inert(memory.Redacted(key)))
	}
	message, facts := "it has changed since, so undo would lose a newer value; to undo an older change, name its commit", memory.Facts{Why: "newer"}
	if u.gone {
		// Its commit was reset or rebased away, or is another branch's, and what it did with it.
		message, facts = "it has changed since, and the commit of that change is not on this branch", memory.Facts{Why: "off-branch"}
		if u.Commit == "" {
			message += " any more"
		}
		message += ": there is nothing here to undo"
		if slices.ContainsFunc(u.deltas, func(d memfile.Delta) bool {
			return d.Kind == memfile.DeltaItem && d.Key == key && d.After == nil
		}) {
			facts.Why = "off-branch-forgot"
		}
		if u.earlier != "" {
			facts.Names = []string{u.earlier}
		}
	}
	r := memory.Refuse(memory.RuleChanged, message, facts)
	r.About, r.Facts.Path = key, policy.Inert(memory.Redacted(key))
	return r
}

func (u *undoing) setting(doc *memfile.Document, d memfile.Delta) error {
	if at := doc.Settings.Switch(d.Key); at != nil {
		*at = d.SettingBefore == "true"
	}
	return nil
}

// tombstone lifts the tombstone that the act left, and no other one, and puts
// back the one that it lifted.
func (u *undoing) tombstone(doc *memfile.Document, d memfile.Delta) error {
	if d.TombAfter != nil {
		i := slices.IndexFunc(doc.Deletions, func(t memfile.Tombstone) bool { return memfile.SameTombstone(t, *d.TombAfter) })
		if i < 0 {
			return u.changedSince(d.Key)
		}
		doc.Deletions = slices.Delete(doc.Deletions, i, i+1)
	} else if contents.Tombstone(*doc, d.Key) != nil {
		return u.changedSince(d.Key)
	}
	if d.TombBefore != nil {
		t := *d.TombBefore
		t.Line, t.Column = 0, 0
		doc.Deletions = append(doc.Deletions, t)
	}
	return nil
}

func (u *undoing) item(doc *txn.Draft, d memfile.Delta) error {
	i := memory.Find(doc.Document, d.Key)
	if d.After == nil && i >= 0 || d.After != nil && (i < 0 || !memfile.SameItem(doc.Items[i], *d.After)) {
		return u.changedSince(d.Key)
	}
	if i >= 0 && doc.Items[i].Locked && !u.Explicit() {
		return memory.Refuse(memory.RuleLocked, "the item is locked: only a person can change it")
	}
	if d.Before == nil {
		return doc.Remove(d.Key)
	}
	if err := memory.NotPurged(d.Before.Value); err != nil {
		return err
	}
	if err := memory.RuleOn(u.store, txn.NewRecord(*d.Before)); err != nil {
		return err
	}
	return doc.Put(txn.NewRecord(*d.Before))
}

// UndoRequest takes back the last act of this worktree that is not undone, or the named commit.
type UndoRequest struct {
	memory.Options
	Commit string
}
