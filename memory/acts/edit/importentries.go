package edit

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

const (
	ruleDuplicateID = "duplicate-id"
	// ruleTurns: turns of a conversation are never stored in a project.
	ruleTurns = "turns"
)

// readEntries reads once what each entry is compared with: the tombstones, and where facts are.
func (im *importing) readEntries() (err error) {
	if im.forgotten, err = memory.Forgotten(im.ctx, im.ss); err != nil {
		return err
	}
	if im.forgotten == nil {
		im.forgotten = []*contents.Forgotten{}
	}
	stores, err := memory.StoresOf(im.ctx, im.ss, "")
	if err != nil || im.Turns { // a turn is no fact
		return err
	}
	im.facts = map[string]string{}
	for _, st := range stores {
		files, err := contents.EntryFiles(im.ctx, st)
		if err != nil {
			return err
		}
		for _, name := range files {
			if place, _ := entry.ParsePath(name); !place.Deleted && (place.Tier == "" || place.Tier == entry.Fact) {
				im.facts[place.ID] = st.Scope
			}
		}
	}
	return nil
}

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
// time in the same session: files have no other order than their times. Most exports have
// times only to the minute or the day. Facts without a session have no order.
func (im *importing) keepOrder(e *entry.Entry) {
	if e.Session == "" && e.Tier() == entry.Fact {
		return
	}
	at := e.Conversation + "\x00" + e.Session + "\x00" + e.Created
	if n := im.sameTime[at]; n > 0 {
		e.Created = entry.FormatTime(e.Time().Add(time.Duration(n) * time.Millisecond))
	}
	im.sameTime[at]++
}

// put puts the new entries into the draft, but for those whose place is taken: by the same text, or by another one, which stays. A
// fact whose place another text has, since a person changed it by hand, takes the next one.
func (im *importing) put(d *txn.Draft, list []*importLine) error {
	var there []string
	if !im.Turns { // its time and text are its place
		var err error
		if there, err = contents.EntryFiles(im.ctx, d.Store); err != nil {
			return err
		}
	}
	taken := make(map[string]string, len(there)+len(list))
	for _, name := range there {
		taken[entrySlot(name)] = name
	}
	for i, l := range list {
		if err := im.step(i, len(list)); err != nil {
			return err
		}
		if l.c.isItem() || l.Outcome != "" {
			continue
		}
		e, ids := &l.c.e, 1
		if e.Tier() == entry.Fact {
			ids = entry.MaxFactIDs
		}
		for n := 0; n < ids && l.Outcome == ""; n++ {
			if e.Tier() == entry.Fact {
				e.ID = entry.FactID(e.Text, n)
				l.Key = memory.ShortID(e.ID)
			}
			slot := entrySlot(e.Path())
			if at := taken[slot]; at != "" {
				var err error
				if l.Outcome, err = l.met(d, at); err != nil {
					return err
				}
				continue
			}
			taken[slot], l.Outcome = e.Path(), outcomeAdded
			if err := d.PutRecord(txn.EntryRecord(*e)); err != nil {
				l.refuse("line-form", err.Error())
			}
		}
		if l.Outcome == "" {
			l.refuse(ruleDuplicateID, "another text has its id, or its conversation has another summary; memctl leaves that unchanged")
		}
	}
	return im.correctRows(d, there, list)
}

// correctRows retires the facts that a changed row of a table in an instruction file replaces: those of that file with the same
// first cell whose text it no longer has.
func (im *importing) correctRows(d *txn.Draft, there []string, list []*importLine) error {
	added, says := map[string]*importLine{}, map[string]bool{}
	firstCell := func(e *entry.Entry) string {
		cell, _, _ := strings.Cut(e.Text, "; ")
		return e.Source + cell
	}
	for _, l := range list {
		if says[l.c.e.Text] = true; im.Project && l.Outcome == outcomeAdded && !l.c.isItem() {
			added[firstCell(&l.c.e)] = l
		}
	}
	for i := 0; len(added) > 0 && i < len(there); i++ {
		old, _ := d.Find(there[i]) // validate says what is wrong with it
		if old == nil || old.Entry.Deleted != "" || says[old.Entry.Text] || old.IsStated() && !im.Accepted {
			continue
		}
		if l := added[firstCell(old.Entry)]; l != nil {
			l.Outcome = outcomeChanged
			if err := d.Retire(there[i], l.c.replaces); err != nil {
				return err
			}
		}
	}
	return nil
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

// met is known where the file in an entry's place has its text, or where its id is made of its text and its time, else "".
func (l *importLine) met(d *txn.Draft, at string) (string, error) {
	e := l.c.e
	if !l.givenID && (e.Tier() == entry.Note || e.Tier() == entry.Turn) {
		return outcomeKnown, nil
	}
	src, err := d.File(at)
	if f, _ := entry.Parse(at, src); err == nil && f != nil && entry.NormalizeText(f.Entry().Text) == entry.NormalizeText(e.Text) {
		return outcomeKnown, nil
	}
	return "", err
}

// refuse says why a line does not come in.
func (l *importLine) refuse(rule, why string) {
	l.Outcome, l.Findings = outcomeRefused, []fault.Finding{{Rule: rule, Message: why}}
}
