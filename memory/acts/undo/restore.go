package undo

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// Restore brings one item back as it was in a revision, or as it last stood
// before it was forgotten or changed. It lifts the key's tombstone; a person
// alone does that.
func Restore(ctx context.Context, ss *store.Stores, req RestoreRequest) (memory.Write, error) {
	w := req.Answer("restore", req.Key, req.Scope)
	if err := req.Permit("restore", memory.StateAbsent); err != nil {
		return w.Refused(err)
	}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return w, err
	}
	found, err := req.find(ctx, stores)
	switch {
	case err != nil:
		return w.Refused(err)
	case found == nil:
		return w.Refused(req.notFound(ctx, stores))
	}
	w.Notes = found.notes
	return found.restore(ctx, req, w)
}

// earlierRecord is a record that can be restored.
type earlierRecord struct {
	*txn.Record
	store   *store.Store
	deleted string // the path of its file among the deleted entries; "" if it has none
	notes   []fault.Note
}

// find looks for the entry of that id in the revision, else for the entry of that id, the item of that key and the entry of that text in HEAD's
// history, or in the journal; nil if there is none. Errors: *memory.Refusal, if several match.
func (req RestoreRequest) find(ctx context.Context, stores []*store.Store) (*earlierRecord, error) {
	if req.Rev != "" && !memfile.KeyForm(req.Key) {
		for _, st := range stores {
			l, err := view.EntryAt(ctx, st, req.Rev, req.Key)
			if l != nil || err != nil {
				return earlierEntry(l, err)
			}
		}
		return nil, nil
	}
	l, err := view.FindLost(ctx, stores, req.Key, req.Journal)
	if l != nil || err != nil {
		return earlierEntry(l, err)
	}
	var notes []fault.Note
	for _, st := range stores {
		if req.Journal {
			lost := lostRecords(ctx, st)
			i := slices.IndexFunc(lost, func(r *earlierRecord) bool {
				return r.Item != nil && slices.Contains([]string{req.Key, memory.NormalKey(req.Key)}, r.Item.Key)
			})
			if i >= 0 {
				return lost[i], nil
			}
		}
		it, others, err := view.Earlier(ctx, st, req.Key, req.Rev, req.Journal)
		if err != nil {
			return nil, err
		}
		if notes = append(notes, others...); it != nil {
			return &earlierRecord{Record: txn.NewRecord(*it), store: st, notes: notes}, nil
		}
	}
	if req.Rev != "" {
		return nil, nil
	}
	return earlierEntry(findLostText(ctx, stores, req.Key, req.Journal))
}

// earlierEntry is the record of a lost entry, which returns to its place among the others.
func earlierEntry(l *view.LostEntry, err error) (*earlierRecord, error) {
	if l == nil || err != nil {
		return nil, err
	}
	r, err := txn.ParseRecord(l.Path, l.Src)
	if err != nil {
		return nil, err
	}
	r.Entry.ReplacedBy, r.Entry.Deleted, r.Entry.Reason = "", "", ""
	found := &earlierRecord{Record: r, store: l.Store}
	if r.Path = entry.LivePath(l.Path); l.Deleted {
		found.deleted = l.Path
	}
	return found, nil
}

// restore puts the record back as it was, and lifts its tombstones.
func (r *earlierRecord) restore(ctx context.Context, req RestoreRequest, w memory.Write) (memory.Write, error) {
	by, value := r.By, r.Value()
	write := txn.Write{Act: "restore", Create: memory.CreatesFile(r.store.Scope), Files: r.Entry != nil}
	shown := ""
	if r.Entry != nil {
		w.Key, write.Keys = memory.ShortID(r.Entry.ID), []string{r.Entry.ID}
		shown = r.Entry.Tier() + " " + w.Key
		write.Subject = "restore " + shown
	} else {
		write.Keys = []string{memory.Redacted(r.Item.Key)}
		w.Key = policy.Inert(write.Keys[0])
		shown = w.Key
	}
	w.Scope = r.store.Scope
	write.Change = func(d *txn.Draft) error {
		r.By = by
		err := memory.NotPurged(value)
		if err == nil {
			err = memory.RuleOn(d.Store, r.Record)
		}
		if err != nil {
			return err
		}
		r.By = memory.WhoseWord(by, r.store.Scope)
		if r.Entry != nil {
			there, err := contents.EntryBytes(d.Store, r.Path)
			if err = cmp.Or(err, contents.LiftEntry(d.Store, d.Document, *r.Entry)); there != nil || err != nil {
				return err
			}
		} else if memory.LiftTombstone(d.Document, r.Item.Key, value); by != "" { // an agent's item is withheld while a tombstone has its text
			if err := contents.LiftText(d.Store, d.Document, value.Plain()); err != nil {
				return err
			}
		}
		if r.deleted != "" {
			if err := d.Remove(r.deleted); err != nil {
				return err
			}
		}
		return d.PutRecord(r.Record)
	}
	out, err := req.Update(ctx, r.store, write)
	return w.After(out, err, "Restored "+shown+" = "+memory.OneLine(value)+memory.UndoHint(out, "", w.Key))
}

// notFound is the refusal if nothing was found. If git has nothing, it looks in the journal.
func (req RestoreRequest) notFound(ctx context.Context, stores []*store.Store) error {
	name := policy.Inert(memory.Redacted(req.Key))
	if req.Rev != "" {
		return memory.Refuse(memory.RuleNotFound, "that revision has no item with this key", "memctl log "+name)
	}
	if req.Journal {
		return memory.Refuse(memory.RuleNotFound, "no other version of this is in git or in the journal", "memctl log --all")
	}
	req.Journal = true
	found, err := req.find(ctx, stores)
	var several *memory.Refusal
	if found == nil && !errors.As(err, &several) {
		return cmp.Or(err, req.notFound(ctx, nil))
	}
	if found != nil && found.Entry != nil {
		name = memory.ShortID(found.Entry.ID)
	}
	return memory.Refuse(memory.RuleNotFound, "no earlier version of this is in git, but the journal has it", "memctl restore "+name+" --from journal")
}

// RestoreRequest brings one item back as it was: as of Rev, or as it last stood.
type RestoreRequest struct {
	memory.Options
	Key     string
	Rev     string
	Journal bool // from the journal, which has what no branch has any more
}

// RestoreLost brings back from the journal what ledger.LostWrites lists. The Key of the request is
// not used. Each record comes back with a commit of its own.
func RestoreLost(ctx context.Context, ss *store.Stores, req RestoreRequest) (list []memory.Write, err error) {
	if err := req.Permit("restore", memory.StateAbsent); err != nil {
		w, err := req.Answer("restore", "", req.Scope).Refused(err)
		return []memory.Write{w}, err
	}
	stores, err := memory.HistoryStores(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	for _, st := range stores {
		for _, found := range lostRecords(ctx, st) {
			w, err := found.restore(ctx, req, req.Answer("restore", "", st.Scope))
			if err != nil {
				return list, err
			}
			w.Notes = slices.DeleteFunc(w.Notes, func(n fault.Note) bool { return n.Code == ledger.LostWritesNote })
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		w := req.Answer("restore", "", req.Scope)
		w, err = w.Refused(memory.Refuse(memory.RuleNotFound, "this branch has lost no memory", "memctl log --all"))
		list = append(list, w)
	}
	return list, err
}

// lostRecords are the records of ledger.LostWrites.
func lostRecords(ctx context.Context, st *store.Store) (list []*earlierRecord) {
	for _, l := range ledger.LostWrites(ctx, st) {
		if l.Item != nil {
			list = append(list, &earlierRecord{Record: txn.NewRecord(*l.Item), store: st})
		} else if r, err := earlierEntry(&view.LostEntry{Store: st, Path: l.Path, Src: l.Src}, nil); err == nil {
			list = append(list, r)
		}
	}
	return list
}

// findLostText looks in HEAD's history, or in the journal, for the removed entry of that text; nil where there is none.
// Errors: *memory.Refusal, where several fit.
func findLostText(ctx context.Context, stores []*store.Store, text string, journal bool) (found *view.LostEntry, err error) {
	want := memfile.NormalText(text)
	if want == "" || memfile.KeyForm(text) {
		return nil, nil
	}
	several := memory.Refuse(memory.RuleAmbiguous, "several removed entries have this text, so none is restored")
	for _, st := range stores {
		err := view.EachLost(ctx, st, journal, func(p entry.PathInfo) bool { return p.Tier != entry.Turn }, func(l *view.LostEntry, e entry.Entry) bool {
			if memfile.NormalText(e.Text) == want {
				found = l
				several.Hints = append(several.Hints, "memctl restore "+memory.ShortID(e.ID)+map[bool]string{true: " --from journal"}[journal])
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	if len(several.Hints) > 1 {
		return nil, several
	}
	return found, nil
}
