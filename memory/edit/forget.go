package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/recall/cache"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// ContainedBytes is the length from which a text may name the one value that
// contains it.
const ContainedBytes = 8

// doomed is one item, or one entry, that a forget is about.
type doomed struct {
	answer  int // index of its answer
	key     string
	byValue bool
	entry   *contents.Entry // nil for an item
	line    bool            // the text is value, which stands as lines of entry and of others
	value   memfile.Value   // what went
	gone    bool            // it was there
	kept    bool            // its tombstone holds its text
}

// Forget takes items out, by key or by one clear match on a value, and leaves
// a tombstone for each, in one commit a scope. What is ambiguous or not found
// is refused and nothing of it is changed.
func Forget(ctx context.Context, ss *store.Stores, req ForgetRequest) ([]memory.Write, error) {
	if req.All {
		return req.forgetAll(ctx, ss)
	}
	answers := make([]memory.Write, len(req.Targets))
	byScope := map[string][]doomed{}
	var scopes []string
	for i, text := range req.Targets {
		st, d, err := req.resolve(ctx, ss, text)
		answers[i] = req.Answer("forget", d.name(), req.Scope)
		if err != nil {
			if answers[i], err = answers[i].Refused(err); err != nil {
				return nil, err
			}
			continue
		}
		answers[i].Scope, d.answer = st.Scope, i
		if byScope[st.Scope] == nil {
			scopes = append(scopes, st.Scope)
		}
		byScope[st.Scope] = append(byScope[st.Scope], d)
	}
	return req.forgetFound(ctx, ss, scopes, byScope, answers)
}

// forgetFound takes out what the targets name, scope by scope.
func (req ForgetRequest) forgetFound(ctx context.Context, ss *store.Stores, scopes []string, byScope map[string][]doomed, answers []memory.Write) ([]memory.Write, error) {
	for n, scope := range scopes {
		f := &forgetting{ForgetRequest: req, ctx: ctx, ss: ss, doomed: byScope[scope], answers: answers, forgotten: map[string]memfile.Value{}}
		if err := f.run(ctx, scope); err != nil {
			return decided(answers, scopes[n:], byScope), err
		}
	}
	return answers, nil
}

// resolve finds the one item that the text names.
func (req ForgetRequest) resolve(ctx context.Context, ss *store.Stores, text string) (*store.Store, doomed, error) {
	if !req.Explicit() { // an agent that means its own value must not take the person's
		if list, err := memory.Holders(ctx, ss, text, req.Scope, memory.HasItem); err == nil && len(list) > 1 {
			return nil, doomed{key: text}, memory.InSeveral(list)
		}
	}
	st, key, err := memory.Locate(ctx, ss, text, req.Scope)
	var r *memory.Refusal
	if err == nil || !errors.As(err, &r) || r.Findings[0].Rule != memory.RuleNotFound {
		return st, doomed{key: key}, err
	}
	if done, err := memory.AlreadyForgotten(ctx, ss, key, req.Scope); done != nil || err != nil {
		return done, doomed{key: key}, err
	}
	if memfile.KeyForm(text) {
		if req.Explicit() {
			view.NoteJournal(ctx, ss, &r.Facts, text, req.Scope)
		}
		return nil, doomed{key: text}, r
	}
	return req.byText(ctx, ss, text)
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

// forgetting is one forget under way, in one scope.
type forgetting struct {
	ForgetRequest
	ctx       context.Context
	ss        *store.Stores
	st        *store.Store
	doomed    []doomed
	answers   []memory.Write
	forgotten map[string]memfile.Value
	erased    *erasing
	waiting   []ledger.Waiting // as the act found the queue
}

// name is how a target is printed and committed.
func (d doomed) name() string {
	if d.entry != nil {
		return memory.ShortID(d.entry.ID)
	}
	return memory.Redacted(d.key)
}

// told is name with the text of an entry, which its id does not tell; what
// agents do not get is not repeated.
func (d doomed) told() string {
	if d.entry == nil {
		return d.name()
	}
	if d.line {
		return "a line of " + d.entry.Tier() + " " + d.name() + " = " + memory.ShownText(d.entry.Verdict, d.value.Text)
	}
	return d.entry.Tier() + " " + d.name() + " = " + memory.ShownText(d.entry.Verdict, d.entry.Text)
}

func (f *forgetting) reason() string {
	switch {
	case f.Reason != "":
		return f.Reason
	case f.Explicit():
		return "user asked to forget"
	}
	return f.Origin.Kind + " by " + f.Agent()
}

func (f *forgetting) run(ctx context.Context, scope string) error {
	st, err := f.ss.Get(ctx, scope)
	if err != nil {
		return err
	}
	f.st = st
	var keys []string
	for _, d := range f.doomed {
		keys = append(keys, d.name())
	}
	out, err := f.Update(ctx, st, txn.Write{
		Act: "forget", Keys: keys,
		Create:    memory.CreatesFile(st.Scope), // of entries whose memory file was taken away
		Forgotten: f.forgotten,
		Files:     true,
		Change:    f.change,
	})
	err = memory.AsRefusal(err)
	for _, d := range f.doomed {
		w := &f.answers[d.answer]
		if err != nil {
			var fault error
			if *w, fault = w.Refused(err); fault != nil {
				return fault
			}
			continue
		}
		if w.Verdict != policy.Accept.String() {
			continue
		}
		*w = w.Outcome(out)
		if !d.gone {
			w.Changed, w.Commit, w.Why = false, nil, txn.WhyUnchanged // forgotten before
		}
		if out.Changed && d.gone {
			w.Saved = "Forgot " + d.told() + memory.UndoHint(out, "", w.Key)
			w.Notes = append(w.Notes, f.erased.notes...)
			w.Notes = append(w.Notes, f.stillThere(ctx, st, d, out)...)
			w.Notes = append(w.Notes, below(st, d.value)...)
			w.Notes = append(w.Notes, briefing.NotesOfForgotten(st)...)
			w.Facts = f.erased.facts
			f.erased.notes, f.erased.facts = nil, memory.Facts{}
		}
	}
	if err == nil && out.Changed {
		return errors.Join(f.dropWaiting(ctx, st), dropCached(ctx, st))
	}
	return nil
}

// dropCached takes away what is cached of the text: an index keeps in its older
// segments what left since, and the snapshot is that of the last reading.
func dropCached(ctx context.Context, st *store.Store) error {
	if err := cache.Forget(st); err != nil {
		return err
	}
	_, err := contents.Read(ctx, st)
	return err
}

// change takes the items out of the document, marks the entries that go, and
// leaves the tombstones.
func (f *forgetting) change(draft *txn.Draft) error {
	doc := draft.Document
	if err := f.ruleOnReason(f.st.Scope); err != nil {
		return err
	}
	all, err := contents.ReadAllEntries(f.ctx, f.st)
	if err != nil {
		return err
	}
	if f.waiting, err = ledger.Queue(f.st); err != nil {
		return err
	}
	f.erased = &erasing{forgetting: f, Draft: draft, all: all.List}
	for i := range f.doomed {
		d := &f.doomed[i]
		if f.answers[d.answer].Verdict != policy.Accept.String() {
			continue // refused before somebody else's change made the act begin anew
		}
		var err error
		switch {
		case d.line:
			err = f.dropLine(doc, d)
		case d.entry != nil:
			err = f.dropEntry(doc, d)
		default:
			err = f.dropItem(doc, d)
		}
		if err == nil && d.gone {
			err = f.erased.alike(d)
		}
		if err != nil {
			if f.answers[d.answer], err = f.answers[d.answer].Refused(err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *forgetting) dropItem(doc *memfile.Document, d *doomed) error {
	r, err := f.erased.Find(d.key)
	if err != nil {
		return err
	}
	if r == nil {
		return f.wentBefore(contents.Tombstone(*doc, memory.Redacted(d.key)) != nil)
	}
	it := *r.Item
	if err := f.permitted(it, d.byValue); err != nil {
		return err
	}
	if err := f.erased.statedToo(nil, it.Value); err != nil {
		return err
	}
	if err := f.erased.Draft.Remove(d.key); err != nil {
		return err
	}
	memory.LiftTombstone(doc, memory.Redacted(d.key))
	tomb := memfile.Tombstone{Key: memory.Redacted(d.key), Removed: f.ss.Today(), Reason: f.reason()}
	if d.byValue && f.ss.Rule(policy.FromItem(it, f.st.Scope)).Verdict == policy.Accept {
		tomb.Value, d.kept = &it.Value, true
	}
	doc.Deletions = append(doc.Deletions, tomb)
	f.forgotten[tomb.Key], d.value, d.gone = it.Value, it.Value, true
	return nil
}

// wentBefore is the answer for what is not there, though it was when the target was
// looked for: where it was not forgotten, nothing of it is, for it may have gone with the
// branch that was checked out then.
func (f *forgetting) wentBefore(forgotten bool) error {
	if forgotten {
		return nil
	}
	return memory.Refuse(memory.RuleNotFound, "it is not in "+f.st.Name()+" any more, and was not forgotten there: it disappeared while this command waited, for example because another branch was checked out", memory.Facts{Why: "item"})
}

func (f *forgetting) ruleOnReason(scope string) error {
	r := f.ss.Rule(policy.Candidate{Reason: f.reason(), Message: f.Message, Scope: scope, Raw: true})
	if r.Verdict == policy.Accept {
		return nil
	}
	return &memory.Refusal{Findings: memory.Findings(r.Findings)}
}

// permitted refuses an agent what is locked, what a person stated and the agent names by
// a text instead of its key, and an agent by itself all that is not automatic.
func (f *forgetting) permitted(it memfile.Item, byValue bool) error {
	facts := memory.Facts{Names: []string{policy.Inert(memory.Redacted(it.Key))}}
	switch {
	case f.Explicit():
		return nil
	case it.Locked:
		return memory.Refuse(memory.RuleLocked, "the item is locked: only a person can forget it", facts)
	case f.Automatic() && it.By != memfile.ByAutomatic:
		return memory.Refuse(memory.RuleExplicitOnly, "a person stated this; an agent can forget it only if the person asks for that", facts)
	case byValue && it.Stated():
		return memory.Refuse(memory.RuleExplicitOnly, "a person stated this; an agent must name it by its key: `memctl forget "+facts.Names[0]+"`", memory.Facts{Why: "by-key"})
	}
	return nil
}

// dropWaiting takes what waited under the same keys, or says the same, off the
// queue.
func (f *forgetting) dropWaiting(ctx context.Context, st *store.Store) error {
	for _, w := range f.waiting {
		same := func(d doomed) bool {
			return d.entry == nil && d.key == w.Key || w.Entry != nil && d.gone && memfile.Same(d.value, w.Value)
		}
		if slices.ContainsFunc(f.doomed, same) {
			if err := ledger.Dequeue(ctx, st, w.ID, f.Wait()); err != nil {
				return err
			}
		}
	}
	return nil
}
