package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Move brings items to another scope as they are, by the target's own rules:
// one commit in each store, the target's first, so that a crash between the two
// leaves the item in both and moving it again ends the move. The source keeps no
// tombstone, for nothing was forgotten. To the project only a person moves.
func Move(ctx context.Context, ss *store.Stores, req MoveRequest) ([]memory.Write, error) {
	if err := ss.Unusable(); err != nil {
		return nil, err // it would be written in one store, and stay in the other
	}
	to, err := ss.Get(ctx, req.To)
	if err != nil {
		return nil, err
	}
	var answers []memory.Write
	for _, key := range req.Keys {
		m := moving{MoveRequest: req, ctx: ctx, ss: ss, to: to}
		w, err := m.move(key)
		if err != nil {
			return answers, err
		}
		answers = append(answers, w)
	}
	return answers, nil
}

// moving is one item's move under way.
type moving struct {
	MoveRequest
	ctx      context.Context
	ss       *store.Stores
	from, to *store.Store
	key      string
	item     memfile.Item // as it stands in the source
	absent   bool         // it was not in the source any more when it was to leave
}

func (m *moving) move(key string) (memory.Write, error) {
	w := m.Answer("move", key, m.To)
	if m.To == store.Project && !m.Explicit() {
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can move what agents learned to the project's memory", memory.Facts{Scope: m.To}))
	}
	if e, err := view.OneEntry(m.ctx, m.ss, m.Scope, key); err != nil || e != nil {
		return m.moveEntry(key, w)
	}
	if err := m.find(key); err != nil {
		return w.Refused(err)
	}
	w.Key = policy.Inert(memory.Redacted(m.key))
	if m.from.Scope == m.To {
		w.Why = txn.WhyUnchanged
		w.Notes = []string{"the item is in " + m.To + " already"}
		return w, nil
	}
	if err := m.permitted(); err != nil {
		return w.Refused(err)
	}
	if err := m.bothFree(); err != nil {
		return w.Refused(memory.AsRefusal(err))
	}
	out, err := m.Update(m.ctx, m.to, m.write(memory.CreatesFile(m.To), m.arrive))
	if err != nil {
		return w.Refused(memory.AsRefusal(err))
	}
	gone, err := m.Update(m.ctx, m.from, m.write(false, m.leave))
	if err != nil {
		w = w.Outcome(out)
		w.Notes = append(w.Notes, "it is still in "+m.from.Scope+" too, because that file could not be changed: "+err.Error()+"; run the same command again to finish the move")
		return w, nil
	}
	return m.tell(w, out, gone), nil
}

// bothFree refuses a move that could be made in one of the two stores alone. Errors:
// fault.Deferred.
func (m *moving) bothFree() error {
	for _, st := range []*store.Store{m.from, m.to} {
		why := txn.HandsOff(m.ctx, st)
		if why != "" { // it may be the lock of an act that was killed
			if _, err := txn.Settle(m.ctx, st, m.Wait()); err != nil {
				return err
			}
			why = txn.HandsOff(m.ctx, st)
		}
		if why != "" {
			return store.Deferred(why, "")
		}
	}
	return nil
}

// tell makes one answer of the two writes.
func (m *moving) tell(w memory.Write, out, gone txn.Outcome) memory.Write {
	w = w.Outcome(out)
	w.Changed = out.Changed || gone.Changed
	if m.Explicit() {
		w.Notes = append(w.Notes, memory.StillBinds(m.ctx, out, m.to, m.key)...)
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
		w.Notes = append(w.Notes, "nothing was removed from "+m.from.Scope+": it was not in "+m.from.Name()+" any more, for example because another branch is checked out; on a branch that still has it, the same command removes it")
	default:
		w.Saved = "Moved " + w.Key + ": " + m.from.Scope + " -> " + m.To + " (undo: memctl undo, once for each scope)"
	}
	return w
}

// find finds the item in the one scope that holds it, the target apart: what
// stands in the target too is the rest of a move that was cut short.
func (m *moving) find(key string) error {
	st, exact, err := memory.Locate(m.ctx, m.ss, key, m.Scope)
	var r *memory.Refusal
	if err == nil && m.Scope == "" && st.Scope == m.To || errors.As(err, &r) && r.Findings[0].Rule == memory.RuleAmbiguous {
		st, err = m.otherHolder(exact, st, err)
	}
	if err != nil {
		return err
	}
	m.from, m.key = st, exact
	mem, err := contents.Read(m.ctx, st)
	if err != nil {
		return err
	}
	it := mem.Find(exact)
	if it.Secret() {
		return memory.Refuse("secret", "the item contains a secret, so memctl does not move it", memory.Facts{Why: "item"})
	}
	m.item = it.Item
	return nil
}

// otherHolder is the one store beside the target that holds the key; else what was found
// before.
func (m *moving) otherHolder(key string, found *store.Store, ambiguous error) (*store.Store, error) {
	list, err := memory.Holders(m.ctx, m.ss, key, "", memory.HasItem)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(st *store.Store) bool { return st.Scope == m.To })
	if len(list) == 1 {
		return list[0], nil
	}
	return found, ambiguous
}

// permitted refuses what the target never takes, and what only a person moves.
func (m *moving) permitted() error {
	facts := memory.Facts{Scope: m.To}
	switch {
	case m.To == store.Project && strings.HasPrefix(m.key, memory.UserPrefix):
		return memory.Refuse(memory.RuleScope, "memory about the person cannot be stored in the project")
	case m.Explicit():
		return nil
	case m.item.Locked:
		return memory.Refuse(memory.RuleLocked, "the item is locked: only a person can move it", facts)
	case m.item.Stated():
		return statedByPerson("move", facts)
	case m.from.Scope == store.Project && !m.ss.Trusted(m.ctx):
		return memory.Refuse(memory.RuleExplicitOnly, "the person has not trusted this repository, so only they can move memory out of it", facts)
	case m.Automatic() && (m.item.By != memfile.ByAutomatic || m.To == store.User):
		return memory.Refuse(memory.RuleExplicitOnly, "unless the person asks, an agent can move only what agents noted by themselves, and nothing to scope user", facts)
	}
	return nil
}

// passedOn returns the labels of a memory that an agent brings to another scope: at most medium, an
// agent's word, not pinned and without ask, however much weight it had where it was.
func (m *moving) passedOn(l labels.Labels) labels.Labels {
	if m.Explicit() {
		return l
	}
	l.Pinned, l.Ask, l.By = false, false, m.By()
	if l.Source == "" || claimed(l.Source) {
		l.Source = "relayed by " + m.Agent()
	}
	if memory.Rank(l.Confidence) > memory.Rank(memfile.Medium) {
		l.Confidence = memfile.Medium
	}
	return l
}

func (m *moving) write(create bool, change func(*memfile.Document) error) txn.Write {
	return txn.Write{
		Act: "move", Keys: []string{m.key}, Source: m.item.Source, Create: create, Change: change,
	}
}

// arrive puts the item into the target, by the rules that hold there.
func (m *moving) arrive(doc *memfile.Document) error {
	if !m.Explicit() {
		if err := enabledFor(m.ctx, m.ss, m.To, doc); err != nil {
			return err
		}
	}
	_, forgotten, err := contents.ForgottenValue(m.to, *doc, m.item.Value, m.item.Tags...)
	if err != nil {
		return err
	}
	if contents.Tombstone(*doc, m.key) != nil || forgotten && !m.Explicit() {
		return memory.Refuse(memory.RuleForgotten, "this was forgotten in "+m.To+"; add it there to restore it", memory.Facts{Why: "add", Names: []string{"--scope", m.To, policy.Inert(m.key), "VALUE"}})
	}
	r := m.to.Rule(policy.FromItem(m.item, m.To))
	if r.Verdict == policy.Refuse || r.Verdict == policy.Hold {
		return &memory.Refusal{Findings: memory.Findings(r.Findings)}
	}
	i := memory.MergeDuplicates(doc, m.key)
	if i < 0 {
		it := m.item
		it.Labels, it.Line, it.Column = m.passedOn(it.Labels), 0, 0
		doc.Items = append(doc.Items, it)
		return nil
	}
	if !memfile.Equal(doc.Items[i].Value, m.item.Value) {
		return memory.Refuse(memory.RuleAmbiguous, m.To+" has another value under this key", memory.Facts{Scope: m.To})
	}
	return nil
}

// leave takes the item out of the source, if it is still the one that was
// brought to the target.
func (m *moving) leave(doc *memfile.Document) error {
	i := memory.MergeDuplicates(doc, m.key)
	if m.absent = i < 0; m.absent {
		return nil
	}
	if !memfile.Equal(doc.Items[i].Value, m.item.Value) {
		return memory.Refuse(memory.RuleChanged, "the item changed in "+m.from.Scope+" meanwhile")
	}
	memory.RemoveItem(doc, m.key)
	return nil
}
