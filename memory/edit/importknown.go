package edit

import (
	"cmp"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store/contents"
)

// knownEntries tells which lines of a batch the store has.
type knownEntries struct {
	*entryBatch
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
func (k *knownEntries) known(l *entryImport) (bool, error) {
	if l.e.Tier() == entry.Fact {
		return k.knownFact(l)
	}
	at, taken := k.paths[entrySlot(l.e.Path())]
	if !taken {
		return false, nil
	}
	l.Outcome = outcomeKnown
	if !l.givenID && l.e.Tier() != entry.Summary {
		return true, nil // the id is made of the text and its time
	}
	same, err := k.says(at, l.e.Text)
	if !same && err == nil {
		l.duplicate()
	}
	return true, err
}

func (l *entryImport) duplicate() {
	l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: ruleDuplicateID, Message: "another text has its id, or its conversation has another summary; memctl leaves that unchanged"}}
}

func (k *knownEntries) knownFact(l *entryImport) (bool, error) {
	for n := range entry.FactIDs {
		l.e.ID = entry.FactID(l.e.Text, n)
		l.ImportEntry.Key = memory.ShortID(l.e.ID)
		at, taken := k.paths[entrySlot(l.e.Path())]
		if !taken {
			there, err := k.hasFact(l.e)
			if there {
				l.Outcome = outcomeKnown
			}
			return there, err
		}
		if same, err := k.says(at, l.e.Text); same || err != nil {
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
func (k *knownEntries) hasFact(e entry.Entry) (bool, error) {
	key := func(e entry.Entry) string { return e.Conversation + "\n" + entry.NormalText(e.Text) }
	if k.texts == nil {
		k.texts = map[string]bool{}
		r := remembering{writing: writing{ctx: k.im.ctx, ss: k.im.ss, st: k.st}, e: e}
		facts, err := r.facts()
		if err != nil {
			return false, err
		}
		for _, f := range facts {
			if !f.Deleted {
				k.texts[key(f.Entry)] = true
			}
		}
	}
	return k.texts[key(e)], nil
}
