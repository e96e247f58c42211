package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Move brings items and entries, those of a glob too, to another scope as they are, by the target's own rules: one commit in
// each store, the target's first, so that a crash between the two leaves them in both and moving them again ends the move. The
// source keeps no tombstone, for nothing was forgotten. To the project only a person moves.
func Move(ctx context.Context, ss *store.Stores, req MoveRequest) ([]memory.Write, error) {
	if err := ss.Unusable(); err != nil {
		return nil, err // it would be written in one store, and stay in the other
	}
	req.Origin = memory.Listen(ss, req.Origin).OriginOfAct()
	to, err := ss.Get(ctx, req.To)
	if err != nil {
		return nil, err
	}
	names, err := memory.Matching(ctx, ss, req.Keys, req.Scope)
	if err != nil {
		return nil, err
	}
	answers := make([]memory.Write, len(names))
	var found []*moving
	for i, name := range names {
		m := &moving{MoveRequest: req, ctx: ctx, ss: ss, to: to}
		err := m.begin(name, &answers[i])
		if answers[i], err = answers[i].Refused(err); err != nil {
			return nil, err
		}
		if m.pending() {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return answers, nil
	}
	return answers, moveAll(req, to, found)
}

// moving is the move of one item or entry under way.
type moving struct {
	MoveRequest
	ctx      context.Context
	ss       *store.Stores
	from, to *store.Store
	target
	item   memfile.Item // as it stands in the source; of an entry its labels
	absent bool         // it was not in the source any more when it was to leave
	kept   error        // why it did not leave the source
}

// begin finds what moves and says whether it may, with the answer as it is before the write.
func (m *moving) begin(name string, answer *memory.Write) error {
	*answer = m.Answer("move", name, m.To)
	if m.To == store.Project {
		if err := m.Permit("move --to project", memory.StateAbsent, m.moveCommand(answer.Key)); err != nil {
			return err
		}
	}
	if err := m.find(name); err != nil {
		return err
	}
	m.answer = answer
	answer.Key = policy.Inert(memory.Redacted(m.shown()))
	if m.from.Scope == m.To {
		answer.Why = txn.WhyUnchanged
		answer.Notes = []fault.Note{fault.NewNote("there-already", "it is in "+m.To+" already")}
		return nil
	}
	if err := m.permitted(); err != nil {
		return err
	}
	return memory.AsRefusal(m.bothFree())
}

// pending reports whether the move goes on: nothing has refused it, and it is not done.
func (m *moving) pending() bool {
	return m.answer != nil && m.answer.Verdict == policy.Accept.String() && m.answer.Why != txn.WhyUnchanged
}

// moveAll writes all of them to the target, and then takes them out of the sources, scope by scope.
func moveAll(req MoveRequest, to *store.Store, found []*moving) error {
	put := write(found, memory.CreatesFile(req.To), (*moving).ensureInTarget)
	out, err := req.Update(found[0].ctx, to, put)
	for _, m := range found {
		if _, err := m.answer.Settle(out, memory.AsRefusal(err)); err != nil {
			return err
		}
	}
	for _, scope := range found[0].ss.Scopes() {
		some := slices.DeleteFunc(slices.Clone(found), func(m *moving) bool { return m.from.Scope != scope || m.answer.Verdict != policy.Accept.String() })
		if len(some) == 0 {
			continue
		}
		left, err := req.Update(some[0].ctx, some[0].from, write(some, false, (*moving).removeFromSource))
		for _, m := range some {
			m.completeAnswer(out, left, err)
		}
	}
	return nil
}

// write makes one change of several moves. One that is refused leaves the others alone.
func write(list []*moving, create bool, change func(*moving, *txn.Draft) error) txn.Write {
	w := txn.Write{Act: "move", Create: create, Change: func(d *txn.Draft) (err error) {
		for i := 0; i < len(list) && err == nil; i++ {
			err = list[i].answer.Attempt(func() error { return change(list[i], d) })
		}
		return err
	}}
	for _, m := range list {
		w.Keys, w.Files = append(w.Keys, m.id), w.Files || m.entry != nil
		if len(list) == 1 {
			w.Source = m.item.Source
		}
		if m.entry != nil && len(list) == 1 {
			w.Subject = "move " + m.entry.Tier() + " " + m.shown()
		}
	}
	return w
}

// bothFree refuses a move if another git keeps one of the two stores from being
// written. Errors: fault.Deferred.
func (m *moving) bothFree() error {
	for _, st := range []*store.Store{m.from, m.to} {
		why, err := txn.Blocked(m.ctx, st, 0)
		if err == nil && gitops.HandsOff(why) { // it may be the lock of an act that was killed
			if _, err = txn.FinishPending(m.ctx, st, m.Wait()); err == nil {
				why, err = txn.Blocked(m.ctx, st, 0)
			}
		}
		if err == nil && gitops.HandsOff(why) {
			err = store.Deferred(why, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// completeAnswer completes the answer, which has what became of the write in the target, by what became of that in the source.
func (m *moving) completeAnswer(out, gone txn.Outcome, err error) {
	w := m.answer
	if err = cmp.Or(err, m.kept); err != nil {
		w.Notes = append(w.Notes, fault.NewNote("still-there", "it is still in "+m.from.Scope+" too, because that file could not be changed: "+err.Error()))
		w.Hints = []string{m.moveCommand(w.Key + " --scope " + m.from.Scope)}
		return
	}
	w.Changed = out.Changed || gone.Changed
	if m.Explicit() {
		w.Notes = append(w.Notes, memory.StillBinds(m.ctx, out, m.to, m.shown())...)
	}
	if gone.Changed {
		w.Left = memory.ScopeCommit{Scope: m.from.Scope, Hash: gone.Commit}
		w.Diff += gone.Diff
		w.Notes = append(w.Notes, gone.Notes...)
		if gone.Commit == "" {
			w.Notes = append(w.Notes, memory.CommitsLater(gone)...)
		}
		if !out.Changed {
			w.Why = gone.Why
		}
	}
	switch {
	case !w.Changed:
	case m.absent:
		w.Saved = "Brought " + w.Key + " to " + m.To + memory.UndoHint(out, "forget --scope "+m.To, w.Key)
		w.Notes = append(w.Notes, fault.NewNote("not-removed", "nothing was removed from "+m.from.Scope+": it was not in "+m.from.Name()+" any more, for example because another branch is checked out; on a branch that still has it, the same command removes it"))
	default:
		w.Saved = "Moved " + w.Key + ": " + m.from.Scope + " -> " + m.To + " (undo: memctl undo)"
	}
	if m.entry != nil && m.To == store.User && len(m.entry.Anchors) > 0 {
		w.Notes = append(w.Notes, fault.NewNote("anchors-removed", "its anchors were removed, because they point into this project"))
	}
}

// find finds the entry, or the item in the one scope besides the target that has it. A
// copy in the target is left from an interrupted move.
func (m *moving) find(key string) error {
	st, t, err := act{Options: m.Options}.locate(m.ctx, m.ss, key)
	if m.from, m.target = st, t; t.entry != nil {
		m.item = memfile.Item{Labels: t.entry.Labels}
		return nil
	}
	var r *memory.Refusal
	if err == nil && m.Scope == "" && st.Scope == m.To || errors.As(err, &r) && r.Findings[0].Rule == memory.RuleAmbiguous {
		list, failed := memory.Holders(m.ctx, m.ss, t.name, "", memory.HasItem)
		list = slices.DeleteFunc(list, func(st *store.Store) bool { return st.Scope == m.To })
		if failed != nil {
			return failed
		}
		if len(list) == 1 {
			m.from, err = list[0], nil
		}
	}
	if err != nil {
		return err
	}
	mem, err := contents.Read(m.ctx, m.from)
	if err != nil {
		return err
	}
	it := mem.Find(t.name)
	if it.Secret() {
		return memory.Refuse("secret", "the item contains a secret, so memctl does not move it", "memctl forget "+policy.Inert(memory.Redacted(key)))
	}
	m.item = it.Item
	return nil
}

// permitted refuses what a project never takes, and what only a person moves.
func (m *moving) permitted() error {
	own := m.moveCommand(policy.Inert(memory.Redacted(m.shown())))
	switch {
	case m.To == store.Project && (strings.HasPrefix(m.name, memory.UserPrefix) || m.entry != nil && keyPrefixFor(m.entry.Entry.Entry) != ""):
		return memory.Refuse(memory.RuleScope, "memory about the person cannot be stored in the project")
	case m.from.Scope == store.Project && !m.trusted():
		return m.Permit("move, untrusted project", memory.StateAbsent, own)
	case m.To == store.User:
		return m.Permit("move --to user", memory.StateOf(&m.item.Labels), own)
	}
	return m.Permit("move", memory.StateOf(&m.item.Labels), own)
}

// trusted reports whether the person trusts the record of the project: under trust reviewed, only a reviewed one.
func (m *moving) trusted() bool {
	if m.ss.TrustLevel(m.ctx) != store.TrustReviewed {
		return m.ss.Trusted(m.ctx)
	}
	r := contents.LoadReviewed(m.ctx, m.ss)
	if m.entry == nil {
		return r.HasItem(&contents.Item{Item: m.item})
	}
	src, err := contents.EntryBytes(m.from, m.name)
	return err == nil && r.HasEntry(m.ctx, m.from, m.name, src)
}

// moveCommand is the move as a command, of the item or entry with this name.
func (m *moving) moveCommand(name string) string { return "memctl move " + name + " --to " + m.To }

// clash are the commands that show and forget what has the name in the target.
func (m *moving) clash() []string {
	name := policy.Inert(memory.Redacted(m.shown()))
	return []string{"memctl show " + name, "memctl forget --scope " + m.To + " " + name}
}

// passedOn returns the labels of a memory that an agent brings to another scope: at most medium, an
// agent's word, not pinned and without ask, however much weight it had where it was.
func (m *moving) passedOn(l labels.Labels) labels.Labels {
	if m.Explicit() {
		return l
	}
	l.Pinned, l.Ask = false, false
	if l.By != memfile.ByAutomatic { // a move makes no conclusion the person's word
		l.By = m.By()
	}
	if l.Source == "" || claimsOwnSource(l.Source) {
		l.Source = "relayed by " + m.Agent()
	}
	if memory.Rank(l.Confidence) > memory.Rank(memfile.Medium) {
		l.Confidence = memfile.Medium
	}
	return l
}

// ensureInTarget puts the item or the entry into the target, by the rules that hold there.
func (m *moving) ensureInTarget(d *txn.Draft) error {
	if err := enabledFor(m.ctx, m.Options, m.to, d.Document); err != nil {
		return err
	}
	r, err := txn.NewRecord(m.item), error(nil)
	if m.entry != nil {
		r, err = txn.ReadRecord(m.from, m.name)
	}
	if r == nil {
		return cmp.Or(err, error(memory.Refuse(memory.RuleNotFound, "no fact or note has this id", "memctl list --tier fact")))
	}
	if err := m.allowed(d, r); err != nil {
		return err
	}
	*r.Labels = m.passedOn(*r.Labels)
	there, err := d.Find(m.name)
	if r.Entry != nil {
		there, err = m.place(r)
	}
	switch {
	case err != nil:
		return err
	case there == nil:
		return d.PutRecord(r)
	case r.Entry != nil && !sameText(there, r):
		return memory.Refuse(memory.RuleAmbiguous, m.To+" has another text under this id", m.clash()...)
	case r.Item != nil && !memfile.Equal(there.Item.Value, r.Item.Value):
		return memory.Refuse(memory.RuleAmbiguous, m.To+" has another value under this key", m.clash()...)
	}
	return nil // the rest of a move that was cut short
}

// allowed refuses what was forgotten in the target, and what the policy keeps out of it.
func (m *moving) allowed(d *txn.Draft, r *txn.Record) error {
	var gone bool
	var ruling policy.Ruling
	verb, words := "add", policy.Inert(m.id)+" VALUE"
	if r.Item != nil {
		_, forgotten, err := contents.ForgottenValue(m.to, *d.Document, m.name, r.Item.Value, r.Tags...)
		if err != nil {
			return err
		}
		gone = contents.Tombstone(*d.Document, m.name) != nil || forgotten && !m.Explicit()
		ruling = m.to.Rule(policy.FromItem(*r.Item, m.To))
	} else {
		forgotten, err := contents.ReadForgotten(m.ctx, m.to)
		if err != nil {
			return err
		}
		gone, verb, words = forgotten.BindsEntry(*r.Entry), "remember", "TEXT"
		ruling = contents.RuleEntry(m.to, *r.Entry, m.Message, !m.Explicit(), false)
	}
	if gone {
		return memory.Refuse(memory.RuleForgotten, "this was forgotten in "+m.To+"; "+verb+" it there to restore it", "memctl "+verb+" --scope "+m.To+" "+words)
	}
	if ruling.Verdict == policy.Refuse || ruling.Verdict == policy.Hold {
		return &memory.Refusal{Findings: memory.Findings(ruling.Findings)}
	}
	return nil
}

// place gives an entry its conversation and its file in the target, and returns what is in
// that file. A fact gets another id where a person changed one of two texts by hand.
func (m *moving) place(r *txn.Record) (there *txn.Record, err error) {
	e := r.Entry
	if e.Conversation == entry.ProjectConversation || e.Conversation == entry.GlobalConversation {
		e.Conversation = memory.OwnConversation(m.To)
	}
	if m.To == store.User {
		e.Anchors = nil
	}
	r.Path = e.Path()
	there, err = txn.ReadRecord(m.to, r.Path)
	if there != nil && e.Role == entry.RoleFact && !sameText(there, r) {
		if _, err = factPlace(m.to, e); err != nil {
			return nil, err
		}
		r.Path = e.Path()
		return txn.ReadRecord(m.to, r.Path)
	}
	return there, err
}

func sameText(a, b *txn.Record) bool {
	return strings.TrimSpace(a.Entry.Text) == strings.TrimSpace(b.Entry.Text)
}

// removeFromSource takes the item or the entry out of the source, if the item is still the one that was brought to the target.
func (m *moving) removeFromSource(d *txn.Draft) error {
	r, err := d.Find(m.name)
	m.absent, m.kept = r == nil && err == nil, nil
	switch {
	case r == nil:
		return err
	case r.Item != nil && !memfile.Equal(r.Item.Value, m.item.Value):
		m.kept = memory.Refuse(memory.RuleChanged, "the item changed in "+m.from.Scope+" meanwhile")
		return nil
	}
	return d.Remove(m.name)
}
