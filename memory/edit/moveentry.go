package edit

import (
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// movingEntry is the move of one fact, note or summary under way.
type movingEntry struct {
	*moving
	e    *view.LiveEntry
	name string // its path in the target
}

// moveEntry moves the entry of that id, as move does an item.
func (m *moving) moveEntry(id string, w memory.Write) (memory.Write, error) {
	from, e, err := view.StandingEntry(m.ctx, m.ss, m.Scope, id)
	if err != nil {
		return w.Refused(err)
	}
	m.from, m.key = from, memory.ShortID(e.ID)
	w.Key = m.key
	if from.Scope == m.To {
		w.Why = txn.WhyUnchanged
		w.Notes = []string{"it is in " + m.To + " already"}
		return w, nil
	}
	m.item = memfile.Item{Key: m.key, Labels: e.Labels}
	x := &movingEntry{moving: m, e: e}
	if err := x.permitted(); err != nil {
		return w.Refused(err)
	}
	if err := m.bothFree(); err != nil {
		return w.Refused(memory.AsRefusal(err))
	}
	out, err := m.Update(m.ctx, m.to, x.write(memory.CreatesFile(m.To), x.arrives))
	if err != nil {
		return w.Refused(memory.AsRefusal(err))
	}
	gone, err := m.Update(m.ctx, from, x.write(false, x.leaves))
	if err != nil {
		w = w.Outcome(out)
		w.Notes = append(w.Notes, "it is still in "+from.Scope+" too, because that file could not be changed: "+err.Error())
		w.Facts = memory.Facts{Code: "unfinished", Names: []string{m.key, "--scope", from.Scope, "--to", m.To}}
		return w, nil
	}
	w = m.tell(w, out, gone)
	if m.To == store.User && len(e.Anchors) > 0 {
		w.Notes = append(w.Notes, "its anchors were removed, because they point into this project")
	}
	return w, nil
}

// permitted refuses what the target never takes, and what only a person moves.
func (x *movingEntry) permitted() error {
	if x.To == store.Project && x.e.Category == "personal" {
		return memory.Refuse(memory.RuleScope, "memory about the person cannot be stored in the project")
	}
	if err := x.moving.permitted(); err != nil {
		return err
	}
	r := contents.RuleEntry(x.to, x.e.Entry.Entry, x.Message, !x.Explicit(), false)
	if r.Verdict == policy.Refuse || r.Verdict == policy.Hold {
		return &memory.Refusal{Findings: memory.Findings(r.Findings)}
	}
	forgotten, err := contents.ReadForgotten(x.ctx, x.to)
	if err != nil {
		return err
	}
	if forgotten.Entry(x.e.Entry.Entry) {
		return memory.Refuse(memory.RuleForgotten, "this was forgotten in "+x.To+"; remember it there to restore it", memory.Facts{Why: "remember", Names: []string{"--scope", x.To, "TEXT"}})
	}
	return nil
}

func (x *movingEntry) write(create bool, files func() ([]store.FileChange, error)) txn.Write {
	w := x.moving.write(create, nil)
	w.Keys, w.Files = []string{x.e.ID}, files
	w.Subject = "move " + x.e.Tier() + " " + x.key
	if !x.Explicit() {
		w.Change = func(doc *memfile.Document) error { return enabledFor(x.ctx, x.ss, x.To, doc) }
	}
	return w
}

// arrives is its file in the target: as it was, fields that we do not know included, in
// the target's own conversation if it was in its scope's.
func (x *movingEntry) arrives() ([]store.FileChange, error) {
	src, err := contents.EntryBytes(x.from, x.e.Path)
	if err != nil {
		return nil, err
	}
	f, problems := entry.Parse(x.e.Path, src)
	if f == nil {
		return nil, memory.Refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message)
	}
	now := f.Entry()
	if now.Conversation == entry.ProjectConversation || now.Conversation == entry.GlobalConversation {
		now.Conversation = entry.ProjectConversation
		if x.To == store.User {
			now.Conversation = entry.GlobalConversation
		}
	}
	if x.To == store.User {
		now.Anchors = nil
	}
	now.Labels = x.passedOn(now.Labels)
	if there, err := x.placeIn(&now); there || err != nil {
		return nil, err // there: the rest of a move that was cut short
	}
	after, err := f.Rewrite(now)
	return []store.FileChange{{Path: x.name, After: after}}, err
}

// placeIn finds the file's place in the target: a fact whose own is taken by another
// text, since a person changed one of the two by hand, has another id there. there: the
// target has it.
func (x *movingEntry) placeIn(now *entry.Entry) (there bool, err error) {
	x.name = now.Path()
	was, err := contents.EntryBytes(x.to, x.name)
	if was == nil || err != nil {
		return false, err
	}
	same := func(was []byte) bool {
		f, _ := entry.Parse(x.name, was)
		return f != nil && strings.TrimSpace(f.Entry().Text) == strings.TrimSpace(now.Text)
	}
	if !same(was) && now.Role == entry.RoleFact {
		was, err = factPlace(x.to, now)
		x.name = now.Path()
		if was == nil || err != nil {
			return false, err
		}
	}
	if !same(was) {
		return false, memory.Refuse(memory.RuleAmbiguous, x.To+" has another text under this id", memory.Facts{Scope: x.To})
	}
	return true, nil
}

func (x *movingEntry) leaves() ([]store.FileChange, error) {
	src, err := contents.EntryBytes(x.from, x.e.Path)
	x.absent = src == nil
	if err != nil || src == nil {
		return nil, err
	}
	return []store.FileChange{{Path: x.e.Path, Before: src}}, nil
}
