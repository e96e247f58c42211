package edit

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// Rename gives an item another key in the same scope and keeps everything else of it. The
// old key gets no tombstone. Only a person may rename.
func Rename(ctx context.Context, ss *store.Stores, req RenameRequest) (memory.Write, error) {
	w := req.Answer(view.ActRename, req.Key, req.Scope)
	if err := req.Permit("rename", memory.StateAbsent, "memctl move "+w.Key+" --as "+policy.Inert(memory.Redacted(req.New))); err != nil {
		return w.Refused(err)
	}
	st, key, err := memory.Locate(ctx, ss, req.Key, req.Scope)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope, w.Key = st.Scope, policy.Inert(memory.Redacted(key))
	to, _ := memfile.NormalKey(req.New)
	if err := req.fits(st, key, to); err != nil {
		return w.Refused(err)
	}
	if to == key {
		w.Why = txn.WhyUnchanged
		return w, nil
	}
	out, err := req.Update(ctx, st, txn.Write{
		Act: view.ActRename, Keys: []string{memory.Redacted(key), memory.Redacted(to)}, Subject: "rename " + memory.Redacted(key) + " to " + memory.Redacted(to),
		Change: func(d *txn.Draft) error { return req.change(d, key, to) },
	})
	return w.After(out, err, "Renamed "+w.Key+" to "+policy.Inert(memory.Redacted(to))+memory.UndoHint(out, "move "+policy.Inert(memory.Redacted(to))+" --as", w.Key))
}

// fits refuses a new key that no item of the scope may have.
func (req RenameRequest) fits(st *store.Store, key, to string) error {
	if r := st.Rule(policy.Candidate{Key: req.New, Raw: true}); r.Verdict == policy.Refuse {
		return &memory.Refusal{Findings: memory.Findings(r.Findings)}
	}
	if !memfile.KeyForm(to) {
		return memory.Refuse(memory.RuleKeyForm, "a key needs two or more parts of letters, digits, - and _, separated by dots, such as writing.tone")
	}
	if st.Scope == store.Project && strings.HasPrefix(to, memory.UserPrefix) {
		return memory.Refuse(memory.RuleScope, "memory about the person cannot be stored in the project", "memctl move "+policy.Inert(memory.Redacted(key))+" --to user")
	}
	return nil
}

func (req RenameRequest) change(d *txn.Draft, key, to string) error {
	i := merge.Duplicates(d.Document, key)
	if i < 0 {
		return memory.Refuse(memory.RuleNotFound, "no item has this key")
	}
	shown := policy.Inert(memory.Redacted(to))
	if memory.Find(d.Document, to) >= 0 {
		return memory.Refuse(memory.RuleAmbiguous, memory.Quoted(shown)+" exists in scope "+d.Store.Scope, "memctl show "+shown)
	}
	if contents.Tombstone(*d.Document, to) != nil && !req.Lift {
		return memory.Refuse(memory.RuleForgotten, memory.Quoted(shown)+" was forgotten; --lift removes its tombstone", "memctl move "+policy.Inert(memory.Redacted(key))+" --as "+shown+" --lift")
	}
	memory.LiftTombstone(d.Document, to, d.Items[i].Value)
	d.Items[i].Key = to
	return memory.RuleOn(d.Store, txn.NewRecord(d.Items[i]))
}
