package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// match is one item or text that a forget by text can mean.
type match struct {
	st    *store.Store
	key   string          // of an item
	entry *contents.Entry // the first of the entries with that text
	text  string          // in normal form
	shown string
}

// deleted reports whether the match is an entry that something took the place of.
func (m match) deleted() bool { return m.entry != nil && m.entry.Deleted }

// byText finds what the text names: the entry of that id; else the one item or
// entry whose text it is; else the lines of summaries and notes that say it; else,
// for a person, the only one that contains it as whole words; else what stands
// among the deleted entries alone.
func (req ForgetRequest) byText(ctx context.Context, ss *store.Stores, text string) (*store.Store, doomed, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return nil, doomed{key: text}, err
	}
	for _, test := range req.tests(text) {
		var found []match
		for _, m := range all {
			if m.deleted() != test.deleted || !test.fits(m) || m.key == "" && slices.ContainsFunc(found, func(f match) bool {
				return f.st.Scope == m.st.Scope && (test.line || f.text == m.text)
			}) {
				continue // of one text in one scope all go
			}
			found = append(found, m)
		}
		if len(found) > 1 {
			return nil, doomed{key: text}, several(found)
		}
		if len(found) == 1 {
			d := doomed{key: found[0].key, byValue: true, entry: found[0].entry, line: test.line}
			if d.line {
				d.value = memfile.Str(entry.CleanText(text))
			}
			return found[0].st, d, nil
		}
	}
	r := memory.Refuse(memory.RuleNotFound, "no item has this key or value, and no fact or note has this text or id", memory.Facts{Why: "text"})
	return nil, doomed{key: text}, r.OrAway(ctx, ss, req.Scope)
}

// meaning is one way in which a text can name what to forget.
type meaning struct {
	fits    func(m match) bool
	line    bool // of summaries and notes
	deleted bool // among the deleted entries
}

// tests are the ways in which a text can name something, the clearest first.
func (req ForgetRequest) tests(text string) []meaning {
	want, gist, lines := memfile.NormalText(text), memfile.Gist(text), memfile.Gists(text)
	if want == "" {
		return nil
	}
	byID := func(m match) bool { return m.entry != nil && memory.MatchesID(m.entry.ID, strings.TrimSpace(text)) }
	alike := func(m match) bool { return gist != "" && memfile.Gist(m.text) == gist }
	list := []meaning{
		{fits: byID},
		{fits: func(m match) bool { return m.text == want }},
		{fits: alike},
		{fits: func(m match) bool { return m.entry != nil && hasLine(m.entry, lines) }, line: true},
	}
	if req.Explicit() && len(want) >= ContainedBytes {
		list = append(list, meaning{fits: func(m match) bool { return ContainsWords(m.text, want) }})
	}
	return append(list, meaning{fits: byID, deleted: true}, meaning{fits: alike, deleted: true})
}

// several is the refusal that names what a text could mean.
func several(found []match) *memory.Refusal {
	const most = 10
	r := memory.Refuse(memory.RuleAmbiguous, "several values match, so nothing is forgotten")
	for _, m := range found[:min(len(found), most)] {
		r.Notes = append(r.Notes, m.line())
		r.Facts.Names = append(r.Facts.Names, m.st.Scope+" "+m.name())
	}
	return r
}

// name is the key of an item, or the beginning of an entry's id.
func (m match) name() string {
	if m.entry != nil {
		return memory.ShortID(m.entry.ID)
	}
	return policy.Inert(memory.Redacted(m.key))
}

// line tells a match from others.
func (m match) line() string { return m.st.Scope + ": " + m.name() + " = " + m.shown }

// matchable lists all items, and then all entries, deleted ones too.
func (req ForgetRequest) matchable(ctx context.Context, ss *store.Stores) ([]match, error) {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	var items, entries []match
	for _, st := range stores { // entries stand without a memory file, too
		m, err := contents.Read(ctx, st)
		if err != nil {
			return nil, err
		}
		for _, it := range m.Items {
			items = append(items, match{st: m.Store, key: it.Key, text: memfile.NormalText(it.Value.Plain()), shown: memory.ShownText(it.Verdict, it.Value.Plain())})
		}
		all, err := contents.ReadAllEntries(ctx, m.Store)
		if err != nil {
			return nil, err
		}
		for _, e := range all.List {
			entries = append(entries, match{st: m.Store, entry: &e, text: memfile.NormalText(e.Text), shown: memory.ShownText(e.Verdict, e.Text)})
		}
	}
	return append(items, entries...), nil
}

// dropEntry takes an entry away and leaves a tombstone of its text; where the
// policy would not have the text there, one of its hash.
func (f *forgetting) dropEntry(doc *memfile.Document, d *doomed) error {
	if !slices.ContainsFunc(f.erased.all, func(e contents.Entry) bool { return e.Path == d.entry.Path }) {
		return f.textWent(doc, d.entry.Text)
	}
	if err := f.mayErase(*d.entry); err != nil {
		return err
	}
	if err := f.erased.statedToo(d.entry, memfile.Str(d.entry.Text)); err != nil {
		return err
	}
	d.value, d.gone = memfile.Str(d.entry.Text), true
	if err := f.bury(doc, d); err != nil {
		return err
	}
	return errors.Join(f.erased.Remove(d.entry.Path), f.erased.removeParts(*d.entry))
}

// textWent is wentBefore for a text.
func (f *forgetting) textWent(doc *memfile.Document, text string) error {
	_, forgotten, err := contents.ForgottenValue(f.st, *doc, memfile.Str(text))
	if err != nil {
		return err
	}
	return f.wentBefore(forgotten)
}

// bury leaves the tombstone of an entry's text, or of a line of one.
func (f *forgetting) bury(doc *memfile.Document, d *doomed) error {
	value := d.value
	if err := contents.LiftText(f.st, doc, value.Text); err != nil {
		return err
	}
	tomb := memfile.Tombstone{Removed: f.ss.Today(), Reason: f.reason()}
	if f.st.Rule(policy.Candidate{Value: value, Scope: f.st.Scope, Raw: true}).Verdict == policy.Accept {
		tomb.Value, d.kept = &value, true
	} else {
		key, err := contents.TombstoneKey(f.ss, value.Text)
		if err != nil {
			return err
		}
		tomb.Key, f.forgotten[key] = key, value
	}
	doc.Deletions = append(doc.Deletions, tomb)
	return nil
}

// mayErase is permitted for entries.
func (f *forgetting) mayErase(e contents.Entry) error {
	return f.permitted(memfile.Item{Key: memory.ShortID(e.ID), Labels: e.Labels}, false)
}

// erasing gathers what one forget does to entries.
type erasing struct {
	*forgetting
	*txn.Draft
	all   []contents.Entry
	notes []string
	facts memory.Facts
}

// removeParts removes the facts that were compacted into an entry, and leaves a tombstone of each.
func (x *erasing) removeParts(of contents.Entry) error {
	parts := slices.DeleteFunc(upkeep.PartsOf(of.ID, x.all), func(e contents.Entry) bool { return x.mayErase(e) != nil })
	for _, e := range parts {
		if err := errors.Join(x.bury(x.Document, &doomed{value: memfile.Str(e.Text)}), x.Remove(e.Path)); err != nil {
			return err
		}
	}
	if len(parts) > 0 {
		x.notes = append(x.notes, fmt.Sprintf("facts that were compacted into it, forgotten too: %d", len(parts)))
	}
	return nil
}

// statedToo refuses an agent the forgetting of a text that a fact of the person says too:
// its tombstone would withhold the fact, which the agent did not name.
func (x *erasing) statedToo(target *contents.Entry, value memfile.Value) error {
	if x.Explicit() || target != nil && target.Stated() {
		return nil
	}
	want := memfile.Gist(value.Plain())
	for _, e := range x.all {
		if e.Stated() && e.Tier() == entry.Fact && !e.Deleted && want != "" && memfile.Gist(e.Text) == want {
			return memory.Refuse(memory.RuleExplicitOnly, "a person stated a fact that says the same, so an agent can forget it only by its id: `memctl forget "+memory.ShortID(e.ID)+"`", memory.Facts{Why: "by-key"})
		}
	}
	return nil
}

// alike takes along what says the same as the target, deleted entries too, and
// lists what contains it.
func (x *erasing) alike(d *doomed) error {
	want, wanted := memfile.Gist(d.value.Plain()), memfile.Gists(d.value.Text)
	if want == "" {
		return nil
	}
	along, lines := 0, 0
	var containing []contents.Entry
	for _, e := range x.all {
		if d.entry != nil && !d.line && e.Path == d.entry.Path {
			continue
		}
		text := memfile.Gist(e.Text)
		contains := len(want) >= ContainedBytes && ContainsWords(text, want)
		switch whole := text == want; {
		case !whole && !contains && !hasLine(&e, wanted):
			continue
		case x.mayErase(e) != nil:
			x.notes = append(x.notes, "not forgotten, because only a person can forget it: "+memory.ShortID(e.ID))
			continue
		case whole || x.Also && contains:
			err := x.Remove(e.Path)
			if whole && err == nil {
				err = x.removeParts(e)
			}
			if err != nil {
				return err
			}
			along++
			continue
		}
		cut, err := x.cutLines(&e, wanted)
		if err != nil {
			return err
		}
		if lines += cut; cut == 0 && !e.Deleted {
			containing = append(containing, e)
		}
	}
	if along > 0 {
		x.notes = append(x.notes, fmt.Sprintf("other entries forgotten too: %d", along))
	}
	if lines > 0 {
		x.notes = append(x.notes, fmt.Sprintf("lines removed from other entries: %d", lines))
	}
	if len(containing) > 0 {
		x.notes = append(x.notes, fmt.Sprintf("other entries that contain the text, not forgotten: %d; --also forgets them", len(containing)))
		for i, e := range containing[:min(len(containing), 10)] {
			x.notes = append(x.notes, memory.ShortID(e.ID)+" = "+memory.ShownText(e.Verdict, e.Text))
			if i < 3 {
				x.facts.Code, x.facts.Names = "contained", append(x.facts.Names, memory.ShortID(e.ID))
			}
		}
	}
	return nil
}

// forgetAll forgets everything that contains one of the texts, as a person may: items by their
// values, and entries. Errors: a refusal where nothing does.
func (req ForgetRequest) forgetAll(ctx context.Context, ss *store.Stores) ([]memory.Write, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return nil, err
	}
	var (
		answers []memory.Write
		scopes  []string
		shown   []string
	)
	byScope, said := map[string][]doomed{}, map[string]bool{}
	for _, m := range all {
		contained := func(text string) bool {
			want := memfile.NormalText(text)
			return want != "" && (m.text == want || ContainsWords(m.text, want))
		}
		same := m.st.Scope + " " + m.text // entries of one text in one scope go together
		if m.deleted() || !slices.ContainsFunc(req.Targets, contained) || m.key == "" && said[same] {
			continue
		}
		d := doomed{key: m.key, byValue: true, entry: m.entry, answer: len(answers)}
		said[same] = said[same] || m.key == ""
		if byScope[m.st.Scope] == nil {
			scopes = append(scopes, m.st.Scope)
		}
		byScope[m.st.Scope] = append(byScope[m.st.Scope], d)
		w := req.Answer("forget", d.name(), m.st.Scope)
		answers, shown = append(answers, w), append(shown, m.line())
	}
	switch {
	case !req.Explicit():
		return nil, memory.AsError("--all", memory.Refuse(memory.RuleExplicitOnly, "only a person can forget everything that contains a text"))
	case len(answers) == 0:
		return nil, memory.AsError(strings.Join(req.Targets, " "), memory.Refuse(memory.RuleNotFound, "no item, fact or note contains this text", memory.Facts{Why: "all"}))
	case req.Agree != nil && !ss.DryRun() && !req.Agree(shown):
		return nil, nil
	}
	return req.forgetFound(ctx, ss, scopes, byScope, answers)
}
