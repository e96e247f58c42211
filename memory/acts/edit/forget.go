package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
)

// Forget removes items and entries, by name or by one clear match on a text, and leaves
// a tombstone for each, in one commit a scope. What is ambiguous or not found
// is refused and nothing of it is changed.
func Forget(ctx context.Context, ss *store.Stores, req ForgetRequest) ([]memory.Write, error) {
	heard := memory.Listen(ss, req.Origin)
	req.Origin = heard.OriginOfAct()
	if req.All {
		return req.forgetAll(ctx, ss)
	}
	f := &forgetting{ForgetRequest: req, heard: heard, ctx: ctx, ss: ss}
	for _, text := range req.Targets {
		t, err := req.resolve(ctx, ss, text)
		if err == nil {
			f.add(t)
			continue
		}
		w, err := req.Answer("forget", t.name(), req.Scope).Refused(err)
		if err != nil {
			return nil, err
		}
		f.answers = append(f.answers, w)
	}
	return f.run()
}

// forgetting is one forget under way. The fields after answers are those of one scope.
type forgetting struct {
	ForgetRequest
	heard   memory.Heard
	ctx     context.Context
	ss      *store.Stores
	all     []*removal
	answers []memory.Write

	st      *store.Store
	targets []*removal
	draft   *txn.Draft
	entries []contents.Entry
	waiting []ledger.Waiting // as the act found the queue
	began   time.Time
	notes   []fault.Note
	hints   []string
}

// add adds a target and its answer.
func (f *forgetting) add(t removal) {
	t.answer = len(f.answers)
	f.all, f.answers = append(f.all, &t), append(f.answers, f.Answer("forget", t.name(), t.st.Scope))
}

// run forgets the targets.
func (f *forgetting) run() ([]memory.Write, error) {
	return inEachScope(f.answers, f.all, func(t *removal) string { return t.st.Scope }, f.inScope)
}

// inScope forgets the targets of one scope, and answers for them.
func (f *forgetting) inScope(scope string, targets []*removal) (err error) {
	f.targets = targets
	if f.st, err = f.ss.Get(f.ctx, scope); err != nil {
		return err
	}
	var keys []string
	for _, t := range f.targets {
		keys = append(keys, t.name())
	}
	f.began = time.Now()
	out, err := f.Update(f.ctx, f.st, txn.Write{
		Act: "forget", Keys: keys,
		Create: memory.CreatesFile(f.st.Scope), // of entries whose memory file was removed
		Files:  true,
		Change: f.change,
	})
	held, last := upkeep.Holders{Store: f.st}, (*memory.Write)(nil)
	if f.All {
		held.Has = f.contains
	}
	for _, t := range f.targets {
		w := &f.answers[t.answer]
		made, fault := w.Settle(out, memory.AsRefusal(err))
		if fault != nil {
			return fault
		}
		if !made {
			continue
		}
		if !t.done {
			w.Changed, w.Commit, w.Why = false, nil, txn.WhyUnchanged // forgotten before
		}
		if out.Changed && t.done {
			w.Saved = "Forgot " + t.saved() + placed(f.ctx, f.Options, f.st, f.wayBack(t, out))
			w.Notes = append(w.Notes, f.notes...)
			w.Hints = f.hints
			f.notes, f.hints = nil, nil
			f.held(&held, t, out)
			last = w
		}
	}
	if last != nil {
		last.Notes = append(last.Notes, held.Notes()...)
	}
	if err == nil && out.Changed {
		return errors.Join(f.dropWaiting(), dropCached(f.ctx, f.st), f.tellPerson())
	}
	return nil
}

// wayBack names the command that brings the target back. Of what an agent forgot, only a person can run it.
func (f *forgetting) wayBack(t *removal, out txn.Outcome) string {
	if f.Explicit() || out.Why == txn.WhyNoRepository {
		return memory.UndoHint(out, "", "")
	}
	return " (only a person can bring it back: memctl restore " + policy.Inert(t.name()) + memory.ScopeFlag(t.st.Scope) + ")"
}

// tellPerson notes, for the next start of a session, the stated memories that an agent forgot.
func (f *forgetting) tellPerson() error {
	rec := localstate.SessionRecord{Agent: f.Agent(), Event: localstate.EventForgot}
	for _, t := range f.targets {
		if t.done && t.stated {
			rec.Given = append(rec.Given, localstate.Given{Scope: f.st.Scope, Key: t.name(), Digest: localstate.TextDigest(t.value.Plain())})
		}
	}
	if f.Explicit() || f.ss.DryRun() || len(rec.Given) == 0 {
		return nil
	}
	return localstate.RecordSession(f.ss, rec)
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

// dropCached removes the text from caches: older segments of an index still
// have it, and so does the snapshot until the next read.
func dropCached(ctx context.Context, st *store.Store) error {
	if err := cache.RemoveIndex(st); err != nil {
		return err
	}
	_, err := contents.Read(ctx, st)
	return err
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

// change removes the targets and what says the same, and leaves the tombstones.
func (f *forgetting) change(draft *txn.Draft) error {
	r := f.ss.Rule(policy.Candidate{Reason: f.reason(), Message: f.Message, Scope: f.st.Scope, Raw: true})
	if r.Verdict != policy.Accept {
		return &memory.Refusal{Findings: memory.Findings(r.Findings)}
	}
	all, err := contents.ReadAllEntries(f.ctx, f.st)
	if err != nil {
		return err
	}
	if f.waiting, err = ledger.Queue(f.st); err != nil {
		return err
	}
	f.draft, f.entries, f.notes, f.hints = draft, slices.Concat(all.List, all.Copies), nil, nil
	for _, t := range f.targets {
		err := f.answers[t.answer].Attempt(func() error {
			t.done = false
			if err := f.remove(t); err != nil || !t.done {
				return err
			}
			return f.related(t)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remove removes one target and leaves its tombstone.
func (f *forgetting) remove(t *removal) error {
	if t.tomb {
		t.done = f.clean(t.key)
		return nil
	}
	r, err := f.find(t)
	if r == nil {
		return err
	}
	t.value = r.Value()
	if err := cmp.Or(f.permitted(r, t.byValue), f.statedToo(t, r)); err != nil {
		return err
	}
	t.done, t.stated = true, r.IsStated()
	if t.entry != nil {
		return errors.Join(f.bury("", t.value, false), f.draft.Remove(r.Path), f.removeParts(*t.entry))
	}
	key := memory.Redacted(t.key)
	if f.All && f.contains(key) {
		key = "" // what recognises the value is enough
	}
	return errors.Join(f.draft.Remove(t.key), f.bury(key, t.value, t.byValue))
}

// clean takes the texts out of the tombstone of a key, and reports whether there is one.
func (f *forgetting) clean(key string) bool {
	i := slices.IndexFunc(f.draft.Deletions, func(t memfile.Tombstone) bool { return t.Key == key })
	if i < 0 {
		return false
	}
	salt := contents.Salt(*f.draft.Document)
	t := f.draft.Deletions[i].Hashed(salt)
	if f.contains(t.Key) {
		named := memfile.Tombstone{Value: &memfile.Value{Kind: memfile.String, Text: t.Key}}.Hashed(salt)
		t.Key, t.Hashes = named.Key, named.Hashes
	}
	if f.contains(t.Reason) {
		t.Reason = f.reason()
	}
	t.Conflict, t.Extra = nil, nil
	f.draft.Deletions[i] = t
	return true
}

// find returns the record of a target, nil if it was forgotten before. Errors: a refusal if it left in another way.
func (f *forgetting) find(t *removal) (*txn.Record, error) {
	name, forgotten := t.key, contents.Tombstone(*f.draft.Document, memory.Redacted(t.key)) != nil
	var err error
	if t.entry != nil {
		name = t.entry.Path
		if _, forgotten, err = contents.ForgottenValue(f.st, *f.draft.Document, "", memfile.Str(t.entry.Text)); err != nil {
			return nil, err
		}
	}
	r, err := f.draft.Find(name)
	if r != nil || err != nil || forgotten {
		return r, err
	}
	return nil, memory.Refuse(memory.RuleNotFound, "it is not in "+f.st.Name()+" any more, and was not forgotten there: another program changed the file or the branch", "memctl show")
}

// bury leaves a tombstone for an item's key or, if key is "", for an entry's text. It has hashes, no text. Those of an entry, or
// of an item that was named by its value, recognise the text anywhere; those of another item only under its key. Text that the
// policy does not accept has only a hash on this machine.
func (f *forgetting) bury(key string, value memfile.Value, byValue bool) error {
	doc, salt := f.draft.Document, contents.Salt(*f.draft.Document)
	tomb := memfile.Tombstone{Key: key, Removed: f.ss.Today(), Reason: f.reason()}
	hashed := f.st.Rule(policy.Candidate{Value: value, Scope: f.st.Scope, Raw: true}).Verdict == policy.Accept
	if key != "" {
		memory.LiftTombstone(doc, key, value)
	} else if err := contents.LiftText(f.st, doc, value.Text); err != nil {
		return err
	}
	switch {
	case !hashed:
	case key == "" || byValue && contents.BindsEveryKey(value):
		tomb.Hashes = memfile.TextHashes(salt, value.Text)
	default:
		tomb.Hashes = []string{memfile.HashUnderKey(salt, key, value.Plain())}
	}
	var err error
	if key == "" {
		tomb.Key, err = contents.TombstoneKey(f.ss, value.Text)
	}
	if keys := []string{tomb.Key}; err == nil && (key != "" || !hashed) { // if the act fails, there is no tombstone, so that the hash does not count
		if hashed {
			keys = append(keys, tomb.Lifted().Key)
		}
		err = contents.RememberForgotten(f.st, value, keys...)
	}
	doc.Deletions = append(doc.Deletions, tomb)
	return err
}

// permitted refuses what the table of authority does not let an agent forget by this name.
// Without a prompt about the record, the act is the agent's own.
func (f *forgetting) permitted(r *txn.Record, byValue bool) error {
	act, asked := "forget", f.Options
	asked.Origin = f.heard.OriginOn(keyOrShortID(r), r.Value().Plain())
	if r.Item != nil && byValue {
		act = "forget TEXT"
	}
	return asked.Permit(act, memory.StateOf(r.Labels), "memctl forget "+keyOrShortID(r))
}
