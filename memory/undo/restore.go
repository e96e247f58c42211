package undo

import (
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
	w.Scope, w.Key = st.Scope, policy.Inert(memory.Redacted(was.Key))
	out, err := req.Update(ctx, st, txn.Write{
		Act: "restore", Keys: []string{memory.Redacted(was.Key)},
		Create: memory.CreatesFile(st.Scope),
		Change: func(d *txn.Draft) error {
			if err := memory.NotPurged(was.Value); err != nil {
				return err
			}
			if err := memory.RuleOn(st, txn.NewRecord(*was)); err != nil {
				return err
			}
			memory.LiftTombstone(d.Document, was.Key)
			if was.By != "" { // an agent's item is withheld while a tombstone has its text
				if err := contents.LiftText(st, d.Document, was.Value.Plain()); err != nil {
					return err
				}
			}
			back := *was
			back.By = memory.OwnWord(back.By, st.Scope)
			return d.Put(txn.NewRecord(back))
		},
	})
	return w.After(out, err, "Restored "+w.Key+" = "+memory.OneLine(was.Value)+memory.UndoHint(out, "", w.Key))
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
