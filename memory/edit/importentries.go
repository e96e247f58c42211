package edit

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

const (
	ruleDuplicateID = "duplicate-id"
	// ruleTurns: what was said, word for word, never stands in a project.
	ruleTurns = "turns"
)

// maxListed bounds the lines of entries that the answer lists: those that did
// not come in.
const maxListed = 100

// prepareEntries rules on the lines that are entries, and finds their stores.
func (im *importing) prepareEntries() error {
	if len(im.Input.Entries) == 0 {
		return nil
	}
	forgotten, err := memory.Forgotten(im.ctx, im.ss)
	if err != nil {
		return err
	}
	for i, line := range im.Input.Entries {
		if err := im.step(i, len(im.Input.Entries)); err != nil {
			return err
		}
		e := line.Entry
		r := im.candidate(e.Labels, line.Scope, e.Text)
		r.e, r.forgotten = entry.Entry{ID: e.ID}, forgotten
		r.Role, r.Text, r.Category, r.Topics, r.Session, r.Conversation, r.Weight = e.Role, e.Text, e.Category, e.Topics, e.Session, e.Conversation, e.Weight
		r.Created, r.chosen, r.Source = e.Time(), im.Explicit() || im.Turns, strings.TrimSpace(e.Source)
		if r.Source == "" || !im.Explicit() {
			r.Source = im.from(r.Source)
		}
		l := &importLine{c: r, personal: line.Personal, givenID: e.ID != "" && e.Tier() != entry.Fact, ImportEntry: ImportEntry{File: line.File, Line: line.Line}}
		if err := im.add(l); err != nil {
			return err
		}
	}
	return nil
}

// judge asks the policy about an entry, in its place among the lines. Nobody is asked about a turn.
func (im *importing) judge(r *candidate) error {
	im.keepOrder(&r.e)
	err := r.rule(nil)
	var held *heldError
	if im.Turns && errors.As(err, &held) {
		err = &memory.Refusal{Findings: memory.Findings(held.findings)}
	}
	return err
}

// step tells of the progress; its error is the act's end by the person.
func (im *importing) step(done, total int) error {
	if im.Progress != nil {
		im.Progress(done, total)
	}
	return im.ctx.Err()
}

// keepOrder makes an entry a millisecond later than the line before it that has the same
// time in the same session: files have no other order than their times. What gives a time
// to the minute or the day, as most exports do, would else be read in any order. Facts of
// no session are in no order.
func (im *importing) keepOrder(e *entry.Entry) {
	if e.Session == "" && e.Tier() == entry.Fact {
		return
	}
	at := e.Conversation + "\x00" + e.Session + "\x00" + e.Created
	if n := im.sameTime[at]; n > 0 {
		e.Created = entry.Stamp(e.Time().Add(time.Duration(n) * time.Millisecond))
	}
	im.sameTime[at]++
}

// put puts the new entries into the draft.
func (im *importing) put(d *txn.Draft, list []*importLine) error {
	there, _, err := contents.EntryFiles(im.ctx, d.Store)
	if err != nil {
		return err
	}
	k := &knownEntries{st: d.Store, paths: make(map[string]string, len(there)+len(list)), fresh: map[string]string{}}
	for _, f := range there {
		k.paths[entrySlot(f.Path)] = f.Path
	}
	for i, l := range list {
		if err := im.step(i, len(list)); err != nil {
			return err
		}
		if l.c.isItem() || l.Outcome != "" {
			continue
		}
		if known, err := k.known(l); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		r := txn.EntryRecord(l.c.e)
		if err := d.Put(r); err != nil {
			l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: "line-form", Message: err.Error()}}
			continue
		}
		slot := entrySlot(r.Path)
		k.paths[slot], k.fresh[slot], l.Outcome = r.Path, l.c.e.Text, outcomeAdded
	}
	return nil
}

// knownEntries tells which lines of a batch the store has.
type knownEntries struct {
	st    *store.Store
	paths map[string]string // the files that are there, by slot
	fresh map[string]string // the text of what comes in now, by slot
	texts map[string]bool   // the facts that are there, by conversation and text; nil: not read
}

// entrySlot is what only one entry has: its conversation, or that it is a note,
// with its id. What was replaced or merged holds its own for good.
func entrySlot(name string) string {
	p, _ := entry.ParsePath(name)
	if p.Tier == entry.Note {
		return entry.Note + "/" + p.ID
	}
	if p.Tier == entry.Turn {
		return p.Conversation + "/" + p.Tier + "/" + p.ID
	}
	return p.Conversation + "/" + cmp.Or(p.Tier, entry.Fact) + "/" + p.ID
}

// known reports whether a line's place is taken: by the same text, or by another one,
// which stays. A fact whose place another text has, since a person changed it by hand,
// takes the next one, if no other file says the same.
func (k *knownEntries) known(l *importLine) (bool, error) {
	if l.c.e.Tier() == entry.Fact {
		return k.knownFact(l)
	}
	at, taken := k.paths[entrySlot(l.c.e.Path())]
	if !taken {
		return false, nil
	}
	l.Outcome = outcomeKnown
	if !l.givenID && l.c.e.Tier() != entry.Summary {
		return true, nil // the id is made of the text and its time
	}
	same, err := k.says(at, l.c.e.Text)
	if !same && err == nil {
		l.duplicate()
	}
	return true, err
}

func (l *importLine) duplicate() {
	l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: ruleDuplicateID, Message: "another text has its id, or its conversation has another summary; memctl leaves that unchanged"}}
}

func (k *knownEntries) knownFact(l *importLine) (bool, error) {
	for n := range entry.FactIDs {
		l.c.e.ID = entry.FactID(l.c.e.Text, n)
		l.Key = memory.ShortID(l.c.e.ID)
		at, taken := k.paths[entrySlot(l.c.e.Path())]
		if !taken {
			there, err := k.hasFact(l.c)
			if there {
				l.Outcome = outcomeKnown
			}
			return there, err
		}
		if same, err := k.says(at, l.c.e.Text); same || err != nil {
			l.Outcome = outcomeKnown
			return true, err
		}
	}
	l.duplicate()
	return true, nil
}

// says reports whether the text is that of what comes in now, or stands in the file.
func (k *knownEntries) says(at, text string) (bool, error) {
	there, now := k.fresh[entrySlot(at)]
	if !now {
		src, err := contents.EntryBytes(k.st, at)
		if err != nil {
			return false, err
		}
		if f, _ := entry.Parse(at, src); f != nil {
			there = f.Entry().Text
		}
	}
	return entry.NormalText(there) == entry.NormalText(text), nil
}

// hasFact reports whether a file of another name says the fact: one that a person moved,
// or wrote other words into. Where reading them all would be felt, it is not looked for.
func (k *knownEntries) hasFact(r *candidate) (bool, error) {
	key := func(e entry.Entry) string { return e.Conversation + "\n" + entry.NormalText(e.Text) }
	if k.texts == nil {
		k.texts = map[string]bool{}
		facts, err := r.factsLike()
		if err != nil {
			return false, err
		}
		for _, f := range facts {
			if !f.Deleted {
				k.texts[key(f.Entry)] = true
			}
		}
	}
	return k.texts[key(r.e)], nil
}
