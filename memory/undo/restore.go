package undo

import (
	"cmp"
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Restore brings one item back as it was in a revision, or as it last stood
// before it was forgotten or changed. It lifts the key's tombstone; a person
// alone does that.
func Restore(ctx context.Context, ss *store.Stores, req RestoreRequest) (memory.Write, error) {
	w := req.Answer("restore", req.Key, req.Scope)
	if !req.Explicit() {
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can restore an item"))
	}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return w, err
	}
	if back, err := view.FindLost(ctx, stores, req.Key, req.Journal); back != nil || err != nil {
		return restoreEntry(ctx, back, req, w, err)
	}
	if req.Journal {
		if w, done, err := restoreText(ctx, ss, stores, req, w); done {
			return w, err
		}
	}
	var st *store.Store
	var was *memfile.Item
	for _, candidate := range stores {
		it, notes, err := view.Earlier(ctx, candidate, req.Key, req.Rev, req.Journal)
		if err != nil {
			return w.Refused(err)
		}
		w.Notes = append(w.Notes, notes...)
		if it != nil {
			st, was = candidate, it
			break
		}
	}
	if was == nil && !req.Journal && req.Rev == "" {
		if w, done, err := restoreText(ctx, ss, stores, req, w); done {
			return w, err
		}
	}
	if was == nil {
		return w.Refused(notInGit(ctx, stores, req))
	}
	w.Key = policy.Inert(memory.Redacted(was.Key))
	write := txn.Write{Keys: []string{memory.Redacted(was.Key)}}
	return restoreRecord(ctx, st, txn.NewRecord(*was), "", write, req, w)
}

// restoreEntry puts the entry back where it was.
func restoreEntry(ctx context.Context, l *view.LostEntry, req RestoreRequest, w memory.Write, err error) (memory.Write, error) {
	if err != nil {
		return w, err
	}
	r, err := txn.ParseRecord(l.Path, l.Src)
	var problem entry.Problem
	if errors.As(err, &problem) {
		return w.Refused(memory.Refuse(problem.Rule, "its file cannot be read: "+problem.Message))
	}
	e := r.Entry
	e.ReplacedBy, e.Deleted, e.Reason = "", "", ""
	w.Key, r.Path = memory.ShortID(e.ID), entry.LivePath(l.Path)
	from := ""
	if l.Deleted {
		from = l.Path
	}
	return restoreRecord(ctx, l.Store, r, from, txn.Write{Keys: []string{e.ID}}, req, w)
}

// restoreRecord puts a record back as it was, and lifts its tombstones. from is the file of an entry
// that is among the deleted ones.
func restoreRecord(ctx context.Context, st *store.Store, r *txn.Record, from string, write txn.Write, req RestoreRequest, w memory.Write) (memory.Write, error) {
	by := r.By
	r.By, w.Scope = memory.OwnWord(by, st.Scope), st.Scope
	shown, value := w.Key, r.Value()
	write.Act, write.Create, write.Files = "restore", memory.CreatesFile(st.Scope), r.Entry != nil
	if r.Entry != nil {
		shown = r.Entry.Tier() + " " + w.Key
		write.Subject = "restore " + shown
	}
	write.Change = func(d *txn.Draft) error {
		if err := memory.NotPurged(value); err != nil {
			return err
		}
		there, err := liftedFor(d, r, by, req.Message)
		if err != nil || there {
			return err
		}
		if from != "" {
			if err := d.Remove(from); err != nil {
				return err
			}
		}
		return d.Put(r)
	}
	out, err := req.Update(ctx, st, write)
	return w.After(out, err, "Restored "+shown+" = "+memory.OneLine(value)+memory.UndoHint(out, "", w.Key))
}

// liftedFor lifts the tombstones of a record that the policy takes, and reports whether an entry is
// there already. by is who set the record last.
func liftedFor(d *txn.Draft, r *txn.Record, by, message string) (there bool, err error) {
	if r.Entry != nil {
		if err := memory.RuleOn(d.Store, r); err != nil {
			return false, err
		}
		now, err := contents.EntryBytes(d.Store, r.Path)
		return now != nil, cmp.Or(err, contents.LiftEntry(d.Store, d.Document, *r.Entry))
	}
	before := *r.Item
	before.By = by
	if err := memory.RuleOn(d.Store, txn.NewRecord(before)); err != nil {
		return false, err
	}
	memory.LiftTombstone(d.Document, r.Item.Key)
	if by != "" { // an agent's item is withheld while a tombstone has its text
		return false, contents.LiftText(d.Store, d.Document, r.Item.Value.Plain())
	}
	return false, nil
}

// notInGit is the refusal where no commit has what is asked for; it looks
// whether the journal has it.
func notInGit(ctx context.Context, stores []*store.Store, req RestoreRequest) error {
	if req.Journal {
		for _, st := range stores {
			doc, err := contents.Document(ctx, st)
			if err == nil && (memory.Find(&doc, req.Key) >= 0 || memory.Find(&doc, memory.NormalKey(req.Key)) >= 0) {
				return memory.Refuse(memory.RuleChanged, "it has this value already; the journal has no other value of this key", memory.Facts{Why: "same"})
			}
		}
		return memory.Refuse(memory.RuleNotFound, "no earlier version of this key is in the journal", memory.Facts{Why: "nowhere"})
	}
	if req.Rev != "" {
		return memory.Refuse(memory.RuleNotFound, "that revision has no item with this key", memory.Facts{Why: "revision"})
	}
	back, err := view.FindLost(ctx, stores, req.Key, true)
	has := back != nil
	if lost, textErr := findLostText(ctx, stores, req.Key, true); lost != nil && textErr == nil {
		id, _ := entry.ParsePath(lost.Path)
		return memory.Refuse(memory.RuleNotFound, "no earlier version of this is in git, but the journal has it", memory.Facts{Why: "journal", Names: []string{memory.ShortID(id.ID)}})
	}
	for _, st := range stores {
		if has || err != nil {
			break
		}
		var it *memfile.Item
		it, _, err = view.Earlier(ctx, st, req.Key, "", true)
		var several *memory.Refusal
		has = it != nil || errors.As(err, &several)
		if has {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if !has {
		return memory.Refuse(memory.RuleNotFound, "no earlier version of this key is in git or in the journal", memory.Facts{Why: "nowhere"})
	}
	return memory.Refuse(memory.RuleNotFound, "no earlier version of this key is in git, but the journal has one", memory.Facts{Why: "journal", Names: []string{policy.Inert(memory.Redacted(req.Key))}})
}

// RestoreRequest brings one item back as it was: as of Rev, or as it last stood.
type RestoreRequest struct {
	memory.Options
	Key     string
	Rev     string
	Journal bool // from the journal, which has what no branch has any more
}
