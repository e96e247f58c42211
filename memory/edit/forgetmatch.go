package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
)

// ContainedBytes is the length from which a text may name the one value that
// contains it.
const ContainedBytes = 8

// match is one item, or the first of the entries with one text, that a forget can mean.
type match struct {
	st    *store.Store
	key   string          // of an item or a tombstone
	entry *contents.Entry // nil for an item
	text  string          // in normal form
	shown string
	texts func() []string // what somebody wrote of it: its text, its key, its labels
	tomb  bool            // it is a tombstone that an earlier forget left
}

// removal is a match that a forget is about.
type removal struct {
	match
	answer  int // index of its answer
	byValue bool
	line    bool          // value is a line of entry and of others
	value   memfile.Value // what was forgotten
	stated  bool          // a person had stated it
	done    bool          // it was there, and is removed
}

// name is the key of an item, or the beginning of an entry's id.
func (m match) name() string {
	if m.entry != nil {
		return memory.ShortID(m.entry.ID)
	}
	return memory.Redacted(m.key)
}

// line tells a match from others.
func (m match) line() string { return m.st.Scope + ": " + policy.Inert(m.name()) + " = " + m.shown }

// told is name with the text of an entry, which its id does not tell; what
// agents do not get is not repeated.
func (r removal) told() string {
	if r.tomb {
		return "what the tombstone of " + r.name() + " says"
	}
	if r.entry == nil {
		return r.name()
	}
	what, text := "", r.entry.Text
	if r.line {
		what, text = "a line of ", r.value.Text
	}
	return what + r.entry.Tier() + " " + r.name() + " = " + memory.ShownText(r.entry.Verdict, text)
}

// resolve finds the one item, entry or line that the text names.
func (req ForgetRequest) resolve(ctx context.Context, ss *store.Stores, text string) (removal, error) {
	named := func(st *store.Store, key string) removal { return removal{match: match{st: st, key: key}} }
	if !req.Explicit() { // an agent that means its own value must not take the person's
		if list, err := memory.Holders(ctx, ss, text, req.Scope, memory.HasItem); err == nil && len(list) > 1 {
			return named(nil, text), memory.InSeveral(list)
		}
	}
	st, key, err := memory.Locate(ctx, ss, text, req.Scope)
	var r *memory.Refusal
	if err == nil || !errors.As(err, &r) || r.Findings[0].Rule != memory.RuleNotFound {
		return named(st, key), err
	}
	if done, err := memory.AlreadyForgotten(ctx, ss, key, req.Scope); done != nil || err != nil {
		return named(done, key), err
	}
	if memfile.KeyForm(text) {
		if req.Explicit() {
			r.Hints = append(r.Hints, view.JournalHint(ctx, ss, text, req.Scope)...)
		}
		return named(nil, text), r
	}
	found, err := req.byText(ctx, ss, text)
	if err != nil {
		return named(nil, text), err
	}
	return found, nil
}

// byText finds what the text names: the entry of that id; else the one item or
// entry whose text it is; else the lines of summaries and notes that say it; else,
// for a person, the only one that contains it as whole words; else what is
// among the deleted entries alone.
func (req ForgetRequest) byText(ctx context.Context, ss *store.Stores, text string) (removal, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return removal{}, err
	}
	for _, test := range req.tests(text) {
		var found []match
		for _, m := range all {
			if replaced := m.entry != nil && m.entry.Deleted; m.tomb || replaced != test.deleted || !test.fits(m) || m.key == "" && slices.ContainsFunc(found, func(f match) bool {
				return f.st.Scope == m.st.Scope && (test.line || f.text == m.text)
			}) {
				continue // of one text in one scope all go
			}
			found = append(found, m)
		}
		if len(found) > 1 {
			return removal{}, several(found, memory.Refuse(memory.RuleAmbiguous, "several values match, so nothing is forgotten"))
		}
		if len(found) == 1 {
			r := removal{match: found[0], byValue: true, line: test.line}
			if r.line {
				r.value = memfile.Str(entry.CleanText(text))
			}
			return r, nil
		}
	}
	if want := memfile.NormalText(text); req.Explicit() && want != "" && len(want) < ContainedBytes {
		all = slices.DeleteFunc(all, func(m match) bool { return m.tomb || m.entry != nil && m.entry.Deleted || !ContainsWords(m.text, want) })
		if len(all) > 0 {
			return removal{}, several(all, memory.Refuse(memory.RuleAmbiguous, fmt.Sprintf("a text of under %d bytes names only what is equal to it; these contain it, and nothing is forgotten", ContainedBytes)))
		}
	}
	r := memory.Refuse(memory.RuleNotFound, "no item has this key or value, and no fact or note has this text or id", "memctl show", "memctl list --tier fact")
	return removal{}, r.OrMissingFile(ctx, ss, req.Scope)
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

// several adds to a refusal what a text could mean.
func several(found []match, r *memory.Refusal) *memory.Refusal {
	const most = 10
	for _, m := range found[:min(len(found), most)] {
		r.Notes = append(r.Notes, fault.NewNote("forget-match", m.line()))
		r.Hints = append(r.Hints, "memctl forget --scope "+m.st.Scope+" "+policy.Inert(m.name()))
	}
	return r
}

// matchable lists all items, then all entries, deleted ones too, and then the tombstones.
func (req ForgetRequest) matchable(ctx context.Context, ss *store.Stores) ([]match, error) {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	var items, entries, tombs []match
	for _, st := range stores { // entries stand without a memory file, too
		m, err := contents.Read(ctx, st)
		if err != nil {
			return nil, err
		}
		for _, it := range m.Items {
			items = append(items, match{st: m.Store, key: it.Key, text: memfile.NormalText(it.Value.Plain()), shown: memory.ShownText(it.Verdict, it.Value.Plain()), texts: func() []string { return itemTexts(it.Item) }})
		}
		for _, t := range m.Deletions {
			it := memfile.Item{Key: t.Key, Conflict: t.Conflict, Extra: t.Extra}
			if t.Value != nil { // as an earlier version left it
				it.Value = *t.Value
			}
			tombs = append(tombs, match{st: m.Store, key: t.Key, tomb: true, shown: "forgotten: " + policy.Cut(policy.Inert(memory.Redacted(t.Reason)), 200), texts: func() []string { return append(itemTexts(it), t.Reason) }})
		}
		all, err := contents.ReadAllEntries(ctx, m.Store)
		if err != nil {
			return nil, err
		}
		if req.All {
			all.List = append(all.List, all.Copies...)
		}
		for _, e := range all.List {
			entries = append(entries, match{st: m.Store, entry: &e, text: memfile.NormalText(e.Text), shown: memory.ShownText(e.Verdict, e.Text), texts: func() []string { return entryTexts(e.Entry) }})
		}
	}
	return slices.Concat(items, entries, tombs), nil
}

// itemTexts lists what a person or an agent wrote in an item.
func itemTexts(it memfile.Item) []string {
	it.Source, it.Conflict = writtenSource(it.Source, it.By), slices.Clone(it.Conflict)
	for i, r := range it.Conflict {
		it.Conflict[i].Source = writtenSource(r.Source, r.By)
	}
	return policy.FromItem(it, "").Texts()
}

// entryTexts lists what a person or an agent wrote in an entry.
func entryTexts(e entry.Entry) []string {
	e.Source = writtenSource(e.Source, e.By)
	e.By, e.Confidence, e.Category, e.Created, e.SummaryKind = "", "", "", "", ""
	return contents.EntryCandidate(e, "", "").Texts()
}

// ContainsWords reports whether want stands in text with no word running on at
// either end. Both are in normal form.
func ContainsWords(text, want string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(want)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

// wordByte counts every byte beyond ASCII as part of a word.
func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// dropWaiting removes from the queue the writes of the same keys, and those that say the same. An undo takes back the
// removal from memory first.
func (f *forgetting) dropWaiting() error {
	drop := ledger.Drop{Act: "forget", Origin: f.Origin.Kind, Began: f.began, Wait: f.Wait()}
	for _, w := range f.waiting {
		same := func(t *removal) bool {
			return t.entry == nil && t.key == w.Key || w.Entry != nil && t.done && memfile.Same(t.value, w.Value)
		}
		if slices.ContainsFunc(f.targets, same) {
			drop.IDs = append(drop.IDs, w.ID)
		}
	}
	if len(drop.IDs) == 0 {
		return nil
	}
	_, err := ledger.DropQueued(f.ctx, f.st, drop)
	return err
}

// forgetAll forgets every record, queued write, proposal and note of a day that contains one of the
// texts, deleted entries too. Only a person may. Errors: a refusal if none does.
func (req ForgetRequest) forgetAll(ctx context.Context, ss *store.Stores) ([]memory.Write, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return nil, err
	}
	f := &forgetting{ForgetRequest: req, ctx: ctx, ss: ss}
	var shown []string
	said := map[string]bool{}
	for _, m := range all {
		same := m.st.Scope + " " + m.text // entries of one text in one scope go together
		if !slices.ContainsFunc(m.texts(), req.contains) || m.entry != nil && said[same] {
			continue
		}
		said[same] = said[same] || m.entry != nil
		f.add(removal{match: m, byValue: true})
		shown = append(shown, m.line())
	}
	waiting, err := req.waitingWith(ctx, ss)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		shown = append(shown, w.st.Scope+": waiting "+policy.Inert(memory.Redacted(w.write.Key))+" = "+memory.OneLine(memfile.Str(memory.Redacted(w.write.Value.Plain()))))
	}
	if err := req.Permit("forget --all", memory.StateAbsent); err != nil {
		return nil, memory.AsError("--all", err)
	}
	switch {
	case len(shown) == 0:
		if !ss.DryRun() {
			err = req.dropLocal(ctx, ss)
		}
		return nil, cmp.Or(err, memory.AsError(strings.Join(req.Targets, " "), memory.Refuse(memory.RuleNotFound, "no item, fact or note contains this text", "memctl list")))
	case req.Agree != nil && !ss.DryRun() && !req.Agree(shown):
		return nil, nil
	}
	answers, err := f.run()
	if err != nil || ss.DryRun() {
		return answers, err
	}
	dropped, err := req.dropQueued(ctx, ss, waiting)
	return append(answers, dropped...), errors.Join(err, req.dropLocal(ctx, ss))
}

// dropLocal takes the texts out of local state. The caches of every store go, because a store that
// has a text no more can have it in the older segments of its index.
func (req ForgetRequest) dropLocal(ctx context.Context, ss *store.Stores) error {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	err = errors.Join(err, localstate.DropTexts(ctx, ss, req.contains))
	for _, st := range stores {
		err = errors.Join(err, ledger.DropTexts(ctx, st, req.Wait(), req.contains), localstate.DropUses(ctx, st, req.Wait(), req.contains), dropCached(ctx, st))
	}
	return err
}

// dropQueued drops the writes from the queues, in one act for each store.
func (req ForgetRequest) dropQueued(ctx context.Context, ss *store.Stores, waiting []waitingWrite) (answers []memory.Write, err error) {
	for from := 0; from < len(waiting); {
		st, drop := waiting[from].st, ledger.Drop{Act: "forget", Origin: req.Origin.Kind, Wait: req.Wait()}
		for ; from < len(waiting) && waiting[from].st == st; from++ {
			write := waiting[from].write
			drop.IDs = append(drop.IDs, write.ID)
			answers = append(answers, req.Answer("forget", write.Key, st.Scope).Local(ss, "Dropped "+policy.Inert(memory.Redacted(write.Key))+", which was waiting", fault.Note{}))
		}
		undo, dropErr := ledger.DropQueued(ctx, st, drop)
		if err = errors.Join(err, dropErr); undo {
			answers[len(answers)-1].Saved += " (undo: memctl undo)"
		}
	}
	return answers, err
}

// waitingWrite is a write in the queue of a store.
type waitingWrite struct {
	st    *store.Store
	write ledger.Waiting
}

// waitingWith returns the queued writes and proposals that contain one of the texts.
func (req ForgetRequest) waitingWith(ctx context.Context, ss *store.Stores) (list []waitingWrite, err error) {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	if err != nil {
		return nil, err
	}
	for _, st := range stores {
		queue, err := ledger.QueueOfAll(st)
		if err != nil {
			return nil, err
		}
		for _, w := range queue {
			texts := itemTexts(memfile.Item{Key: w.Key, Value: w.Value, Labels: w.Labels})
			if slices.ContainsFunc(append(texts, w.Said, w.Reason, w.Message, w.Was), req.contains) {
				list = append(list, waitingWrite{st, w})
			}
		}
	}
	return list, nil
}

// contains reports whether a text contains one of the targets, be it as a part of a word.
func (req ForgetRequest) contains(text string) bool {
	text = memfile.NormalText(text)
	return slices.ContainsFunc(req.Targets, func(target string) bool {
		want := memfile.NormalText(target)
		return want != "" && strings.Contains(text, want)
	})
}
