package edit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
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

// entryImport is one line of an import that is an entry.
type entryImport struct {
	importLine
	e       entry.Entry
	givenID bool // the line has an id of its own
}

// entryBatch is what comes into one store as entries.
type entryBatch struct {
	im    *importing
	st    *store.Store
	lines []*entryImport
	added int // of the lines
}

// prepareEntries rules on the lines that are entries, and finds their stores.
func (im *importing) prepareEntries() error {
	if len(im.Input.Entries) == 0 {
		return nil
	}
	gate, err := im.entryGate()
	if err != nil {
		return err
	}
	for i, line := range im.Input.Entries {
		if err := im.step(i, len(im.Input.Entries)); err != nil {
			return err
		}
		l := &entryImport{importLine: importLine{entry: true}, e: line.Entry}
		l.ImportEntry = ImportEntry{File: policy.Inert(memory.Redacted(line.File)), Line: line.Line, Findings: []memory.Finding{}}
		l.e.Category = strings.ToLower(l.e.Category)
		im.lines = append(im.lines, l)
		st, err := im.entryStore(l.e, line.Scope)
		if err == nil {
			l.ImportEntry.Scope = st.Scope
			im.complete(l, st)
			err = im.restorable(&l.importLine, gate(st, l.e, line.Entry))
		}
		if err != nil {
			if err := l.ruled(err, true); err != nil {
				return err
			}
			if l.Outcome == outcomeRefused {
				continue
			}
		}
		b := im.batches[st.Scope]
		if b == nil {
			b = &entryBatch{im: im, st: st}
			im.batches[st.Scope] = b
			im.note(st.Scope)
		}
		b.lines = append(b.lines, l)
	}
	return nil
}

// step tells of the progress; its error is the act's end by the person.
func (im *importing) step(done, total int) error {
	if im.Progress != nil {
		im.Progress(done, total)
	}
	return im.ctx.Err()
}

// entryStore is where an entry goes; what is about the person goes to them. scope is where the
// input says that it belongs, which the person's own --scope outranks.
func (im *importing) entryStore(e entry.Entry, scope string) (*store.Store, error) {
	options := im.Options
	if options.Scope == "" && !im.ss.Alone() {
		options.Scope = scope
	}
	return memory.Target(im.ctx, im.ss, about(e), e.Text, options)
}

// complete fills in what the line leaves open. A fact that the person did not accept is medium at
// most, and not their statement.
func (im *importing) complete(l *entryImport, st *store.Store) {
	e := &l.e
	given := e.Text
	e.Text = entry.CleanText(given)
	if e.Category != "" && !slices.Contains(entry.Categories(), e.Category) {
		e.Tags, e.Category = append(slices.Clone(e.Tags), e.Category), "" // another program's word: kept as a tag
	}
	e.Tags, e.Topics = normalTags(e.Tags), normalTags(e.Topics)
	e.Conversation = cmp.Or(e.Conversation, memory.OwnConversation(st.Scope))
	e.Source = strings.TrimSpace(e.Source)
	if e.Source == "" || !im.Explicit() {
		e.Source = im.from(e.Source)
	}
	options := im.Options
	if options.Explicit() && !im.Accepted {
		options.Origin.Kind = memory.Relayed
	}
	e.By = options.By()
	if im.Automatic() {
		e.Weight = min(e.Weight, maxAutomaticWeight)
	}
	confidence := e.Confidence
	switch e.Confidence = ""; {
	case e.Tier() != entry.Fact:
	case im.Automatic() || confidence == memfile.Low:
		e.Confidence = memfile.Low
	case im.Accepted:
		e.Confidence = memfile.High
	default:
		e.Confidence = memfile.Medium
	}
	said := e.Created // an id of what has no time is the same each time
	if e.Created == "" {
		e.Created = entry.Stamp(im.ss.Now())
	}
	im.keepOrder(e)
	l.givenID = e.ID != "" && e.Tier() != entry.Fact
	switch {
	case e.Tier() == entry.Fact:
		e.ID = entry.ContentID(e.Text) // the same fact is the same file on every branch
	case e.Tier() == entry.Turn && e.ID == "":
		e.ID = entry.TimedID(said+"\n"+e.Session, e.Text)
	case e.ID == "" && e.Tier() == entry.Summary:
		e.ID = entry.SummaryID(said, e.Text)
	case e.ID == "":
		e.ID = entry.TimedID(said, e.Text)
	}
	l.ImportEntry.Key, l.ImportEntry.Confidence = memory.ShortID(e.ID), e.Confidence
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
	if im.sameTime == nil {
		im.sameTime = map[string]int{}
	}
	if n := im.sameTime[at]; n > 0 {
		e.Created = entry.Stamp(e.Time().Add(time.Duration(n) * time.Millisecond))
	}
	im.sameTime[at]++
}

// entryGate is what rules on one entry: the switches, the tombstones of every
// scope, and the policy. arrived is the entry as its line has it.
func (im *importing) entryGate() (func(st *store.Store, e, arrived entry.Entry) error, error) {
	forgotten, err := memory.Forgotten(im.ctx, im.ss)
	if err != nil {
		return nil, err
	}
	off := map[string]error{}
	return func(st *store.Store, e, arrived entry.Entry) error {
		if _, asked := off[st.Scope]; !asked {
			doc, err := contents.Document(im.ctx, st)
			if err != nil {
				return err
			}
			off[st.Scope] = enabledFor(im.ctx, im.ss, st.Scope, &doc)
		}
		if err := off[st.Scope]; err != nil {
			return err
		}
		if slices.ContainsFunc(forgotten, func(f *contents.Forgotten) bool { return f.Entry(e) }) {
			return memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", memory.Facts{Path: memory.ShortID(e.ID)})
		}
		return im.ruleEntry(st, e, arrived)
	}, nil
}

func (im *importing) ruleEntry(st *store.Store, e, arrived entry.Entry) error {
	if e.Tier() == entry.Turn && st.Scope == store.Project {
		return memory.Refuse(ruleTurns, "turns of a conversation cannot be stored in a project; use --scope private or --scope user")
	}
	if err := checkEntry(e); err != nil {
		return err
	}
	// Whether a turn is worth keeping was decided when the person had turns stored.
	ruling := contents.RuleEntry(st, e, im.Message, !im.Explicit() && !im.Turns, false)
	if before := contents.RuleEntry(st, arrived, "", false, true); before.Verdict > ruling.Verdict {
		ruling = before // lower case hides a secret in a tag
	}
	if im.Turns && ruling.Verdict == policy.Hold {
		ruling.Verdict = policy.Refuse
	}
	return ruledOut(ruling)
}

// open reports whether any line of the batch is still to come in.
func (b *entryBatch) open() bool {
	return b != nil && slices.ContainsFunc(b.lines, func(l *entryImport) bool { return l.held == nil })
}

// put puts the new entries of the batch into the draft.
func (b *entryBatch) put(d *txn.Draft) error {
	there, _, err := contents.EntryFiles(b.im.ctx, b.st)
	if err != nil {
		return err
	}
	paths := make(map[string]string, len(there)+len(b.lines))
	for _, f := range there {
		paths[entrySlot(f.Path)] = f.Path
	}
	b.added = 0
	k := &knownEntries{entryBatch: b, paths: paths, fresh: map[string]string{}}
	for i, l := range b.lines {
		if err := b.im.step(i, len(b.lines)); err != nil {
			return err
		}
		if l.held != nil {
			continue
		}
		if known, err := k.known(l); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		r := txn.EntryRecord(l.e)
		if err := d.Put(r); err != nil {
			l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: "line-form", Message: err.Error()}}
			continue
		}
		b.added++
		slot := entrySlot(r.Path)
		k.paths[slot], k.fresh[slot], l.Outcome = r.Path, l.e.Text, outcomeAdded
	}
	return nil
}
