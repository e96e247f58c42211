package edit

import (
	"cmp"
	"errors"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

const (
	ruleDuplicateID = "duplicate-id"
	// ruleTurns: turns of a conversation are never stored in a project.
	ruleTurns = "turns"
)

// judge asks the policy about an entry, in its place among the lines. Nobody is asked about a turn.
func (im *importing) judge(c *candidate) error {
	im.keepOrder(&c.e)
	err := c.rule(nil)
	var held *heldError
	if im.Turns && errors.As(err, &held) {
		err = &memory.Refusal{Findings: memory.Findings(held.findings)}
	}
	return err
}

// step reports the progress; its error is the act's end by the person.
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
}

// entrySlot is what only one entry has: its conversation, or that it is a note,
// with its id. What was replaced or merged holds its own for good.
func entrySlot(name string) string {
	p, _ := entry.ParsePath(name)
	if p.Tier == entry.Note {
		return entry.Note + "/" + p.ID
	}
	return p.Conversation + "/" + cmp.Or(p.Tier, entry.Fact) + "/" + p.ID
}

// known reports whether a line's place is taken: by the same text, or by another one, which stays. A fact whose place another
// text has, since a person changed it by hand, takes the next one.
func (k *knownEntries) known(l *importLine) (bool, error) {
	e, ids := &l.c.e, 1
	if e.Tier() == entry.Fact {
		ids = entry.FactIDs
	}
	for n := range ids {
		if e.Tier() == entry.Fact {
			e.ID = entry.FactID(e.Text, n)
			l.Key = memory.ShortID(e.ID)
		}
		at, taken := k.paths[entrySlot(e.Path())]
		if !taken {
			return false, nil
		}
		same, err := k.says(at, e.Text)
		ours := !l.givenID && (e.Tier() == entry.Note || e.Tier() == entry.Turn) // the id is made of the text and its time
		if same || ours || err != nil {
			l.Outcome = outcomeKnown
			return true, err
		}
	}
	l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: ruleDuplicateID, Message: "another text has its id, or its conversation has another summary; memctl leaves that unchanged"}}
	return true, nil
}

// says reports whether the text is that of what comes in now, or of the file.
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
