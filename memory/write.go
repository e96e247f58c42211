package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// How long an act waits for git, half as long as for the lock: see txn.Write.
const (
	waitExplicit  = 10 * time.Second
	WaitAutomatic = 2 * time.Second
	WaitHook      = 50 * time.Millisecond
)

// The rules of refusals that are the acts' own, beside the policy's.
const (
	RuleNotFound     = "not-found"
	RuleAmbiguous    = "ambiguous"
	RuleForgotten    = "forgotten"
	RuleLocked       = "locked"
	RuleDisabled     = "disabled"
	RuleKeyForm      = "key-form"
	RuleScope        = "scope"
	RuleExplicitOnly = "explicit-only"
	RuleConfidence   = "confidence"
	RuleValue        = "value"
	RuleChanged      = "changed-since"
	rulePurged       = "purged"
)

// Wait is how long the act waits for the lock.
func (o Options) Wait() time.Duration {
	if o.Origin.Kind == Explicit {
		return waitExplicit
	}
	return WaitAutomatic
}

// Explicit reports whether a person writes.
func (o Options) Explicit() bool { return o.Origin.Kind == Explicit }

// Reader is who reads the answer.
func (o Options) Reader() contents.Reader {
	if o.Explicit() {
		return contents.Person
	}
	return contents.Agent
}

// Asked is the flag of the scope that was asked for, to go before other words of a command.
func (o Options) Asked() string {
	if o.Scope == "" || o.Scope == store.Only {
		return ""
	}
	return "--scope " + o.Scope + " "
}

// Automatic reports whether the write may only wait, never leave the tree
// dirty. A relayed one was asked for by a person.
func (o Options) Automatic() bool { return o.Origin.Kind == Automatic }

// By is the item's field for who set it last.
func (o Options) By() string {
	switch o.Origin.Kind {
	case Relayed:
		return memfile.ByRelayed
	case Automatic:
		return memfile.ByAutomatic
	}
	return ""
}

// Agent names the agent for a sentence.
func (o Options) Agent() string {
	if o.Origin.Name == "" {
		return "an agent"
	}
	return o.Origin.Name
}

// Refusal ends an act from within its change: findings instead of an error.
type Refusal struct {
	About    string // the one of several keys that it is for; "" where it is for each
	Findings []fault.Finding
	Notes    []fault.Note
	Hints    []string // commands that help
	Restore  string   // what memctl restore brings back of it; "" for nothing
	Similar  *Similar
}

func (r *Refusal) Error() string { return r.Findings[0].Message }

// Refuse makes a refusal by one rule, with the commands that help. Without any, what only a person may do gets the act's own
// command; "" stands for none.
func Refuse(rule, message string, hints ...string) *Refusal {
	return &Refusal{Findings: []fault.Finding{{Rule: rule, Message: message}}, Hints: slices.DeleteFunc(hints, func(hint string) bool { return hint == "" })}
}

// RuleOnMessage refuses a commit message that the policy keeps out of git's history.
func RuleOnMessage(st *store.Store, message string) error {
	if message == "" {
		return nil
	}
	r := st.Rule(policy.Candidate{Message: message, Raw: true})
	if r.Verdict == policy.Accept {
		return nil
	}
	return &Refusal{Findings: Findings(r.Findings)}
}

// Update makes the write on behalf of who asks, with their message. It refuses a message that the policy keeps out of git's
// history, and under the lock an act on records that are not as the options expect them.
func (o Options) Update(ctx context.Context, st *store.Store, w txn.Write) (txn.Outcome, error) {
	if err := RuleOnMessage(st, o.Message); err != nil {
		return txn.Outcome{}, err
	}
	if change := w.Change; change != nil && len(o.Expected) > 0 {
		w.Change = func(d *txn.Draft) error {
			if err := o.unchanged(ctx, d); err != nil {
				return err
			}
			return change(d)
		}
	}
	w.Message, w.Origin, w.Clean, w.Wait, w.Command = o.Message, o.Origin.Kind, !o.Explicit(), o.Wait(), o.Command
	out, err := txn.Update(ctx, st, w)
	if err == nil && slices.Contains([]string{"add", "forget", "edit", "review", "confirm"}, w.Act) {
		out.Notes = append(out.Notes, stillSaid(ctx, st.Stores, out)...)
	}
	if err == nil && o.Explicit() && w.Act == "add" && !out.Changed {
		for _, key := range w.Keys {
			contents.Vouch(ctx, st, key)
		}
	}
	return out, err
}

// KeysByCorrectedImport has the keys of the items of a store that were imported and have had another value since, by the normal form of
// what they said. Without a history there are none.
func KeysByCorrectedImport(ctx context.Context, st *store.Store) map[string]string {
	keys := map[string]string{}
	_ = contents.History(ctx, st, contents.OfHead, false, func(v contents.Version) bool {
		for _, d := range v.Deltas() {
			if d.Before != nil && d.After != nil && strings.HasPrefix(d.Before.Source, memfile.ImportedFrom) && !memfile.Same(d.Before.Value, d.After.Value) {
				keys[memfile.NormalText(d.Before.Value.Plain())] = d.Key
			}
		}
		return true
	})
	return keys
}

// stillSaid names the lines of instruction files that say what an item said before the write, since clients read them too.
func stillSaid(ctx context.Context, ss *store.Stores, out txn.Outcome) (notes []fault.Note) {
	for _, d := range out.Deltas {
		if d.Kind != memfile.DeltaItem || d.Before == nil || d.After != nil && memfile.Same(d.After.Value, d.Before.Value) {
			continue
		}
		name, imported := strings.CutPrefix(d.Before.Source, memfile.ImportedFrom)
		moved := slices.ContainsFunc(out.After.Items, func(it memfile.Item) bool { return memfile.Same(it.Value, d.Before.Value) })
		if !imported || !store.IsInstruction(name) || moved {
			continue
		}
		text := d.Before.Value.Plain()
		if place := contextfile.FindStated(ctx, ss, []string{name}, nil)[session.Folded(text)]; place != "" {
			notes = append(notes, fault.NewNote("instruction-file-says", policy.Inert(place)+", still says this, and clients that read the file follow it: "+Beginning(Redacted(text))))
		}
	}
	return notes
}

// Answer starts the act's object for a key.
func (o Options) Answer(act, key, scope string) Write {
	return Write{Schema: SchemaNumber, Act: act, Key: policy.Inert(Redacted(key)), Scope: scope, Origin: o.Origin.Kind, Verdict: policy.Accept.String(), Findings: []fault.Finding{}}
}

// Refused turns a refusal into the act's object; any other error stays one.
func (w Write) Refused(err error) (Write, error) {
	var r *Refusal
	var p entry.Problem
	switch {
	case errors.As(err, &p):
		r = Refuse(p.Rule, p.Error())
	case !errors.As(err, &r):
		return w, err
	}
	w.Verdict, w.Findings, w.Notes = policy.Refuse.String(), r.Findings, append(w.Notes, r.Notes...)
	w.Hints, w.Similar = r.Hints, r.Similar
	if r.Hints == nil && slices.Contains([]string{RuleExplicitOnly, RuleForgotten, RuleLocked}, r.Findings[0].Rule) {
		w.Hints = []string{strings.TrimSpace("memctl " + w.Act + " " + w.Key)}
	}
	if slices.ContainsFunc(r.Findings, func(f fault.Finding) bool { return f.Rule == policy.RuleSecret && f.Where == "key" }) {
		w.Key = "" // it was judged as it came, and may not be told from others in lower case
	}
	return w, nil
}

// Findings turns the policy's ruling into findings.
func Findings(list []policy.Finding) []fault.Finding {
	out := []fault.Finding{}
	for _, f := range list {
		message := f.Message
		if f.Hint != "" {
			message += "; " + f.Hint
		}
		out = append(out, fault.Finding{Rule: f.Rule, Where: f.Where, Message: message})
	}
	return out
}

// Outcome fills in what became of the write.
func (w Write) Outcome(out txn.Outcome) Write {
	w.Changed, w.Why, w.Diff, w.Notes = out.Changed, out.Why, out.Diff, append(w.Notes, out.Notes...)
	if out.Commit != "" {
		w.Commit = &out.Commit
	}
	if out.Changed && out.Commit == "" {
		w.Notes = append(w.Notes, CommitsLater(out)...)
	}
	return w
}

// Uncommitted is the object after a change that no commit holds, such as one of the queue or of git's
// configuration. saved is the line that announces it, would the note of a dry run.
func (w Write) Uncommitted(ss *store.Stores, saved string, would fault.Note) Write {
	w.Changed, w.Saved = true, saved
	if ss.DryRun() {
		w.Saved, w.Why, w.Notes = "", txn.WhyDryRun, []fault.Note{would}
	}
	return w
}

// After is the object after a write, with what it says where anything changed. Errors: that of
// the write, where it is no refusal.
func (w Write) After(out txn.Outcome, err error, saved string) (Write, error) {
	if err != nil {
		return w.Refused(err)
	}
	if w = w.Outcome(out); out.Changed {
		w.Saved = saved
	}
	return w, nil
}

// Settle fills in what became of the write of several keys, and reports whether it changed this one, which was not
// refused. Errors: that of the write, where it is no refusal.
func (w *Write) Settle(out txn.Outcome, err error) (made bool, fault error) {
	if err != nil {
		*w, fault = w.Refused(err)
	} else if made = w.Verdict == policy.Accept.String(); made {
		*w = w.Outcome(out)
	}
	return made, fault
}

// Attempt makes the change of one key among several. A refusal goes into the answer. If the act starts again after somebody
// else's change, refused keys are skipped. Errors: all others.
func (w *Write) Attempt(change func() error) (err error) {
	if w.Verdict == policy.Accept.String() {
		*w, err = w.Refused(change())
	}
	return err
}

// AsRefusal makes a write that cannot be committed now a refusal.
func AsRefusal(err error) error {
	if deferred := fault.Find(err, fault.Deferred); deferred != nil {
		return Refuse(deferred.Why, deferred.Error())
	}
	return err
}

// Find is the index of the key's item, -1 where there is none.
func Find(doc *memfile.Document, key string) int {
	return slices.IndexFunc(doc.Items, func(it memfile.Item) bool { return it.Key == key })
}

// LiftTombstone lets a key have a value. What was forgotten of the key stays forgotten if it is another value.
func LiftTombstone(doc *memfile.Document, key string, v memfile.Value) {
	list := doc.Deletions
	doc.Deletions = nil
	for _, t := range list {
		own := contents.IsTombstoneOf(t, key)
		if (own || t.FormerKey() == key) && (t.Salt() == "" || t.Recognises(v.Plain())) {
			continue
		}
		if own {
			t = t.Lifted()
		}
		doc.Deletions = append(doc.Deletions, t)
	}
}

// HasItem reports whether the memory has an item of the key.
func HasItem(m *contents.Memory, key string) bool { return m.Find(key) != nil }

// NotLockedElsewhere refuses to write a key that is locked in another scope:
// an item that shadows it changes what sessions are told. Errors: a *Refusal;
// a scope that cannot be read.
func NotLockedElsewhere(ctx context.Context, ss *store.Stores, scope, key string) error {
	stores, err := StoresOf(ctx, ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		locked, err := lockedIn(ctx, st, key)
		if err != nil {
			return err
		}
		if st.Scope != scope && locked {
			return Refuse(RuleLocked, "the item is locked in scope "+st.Scope+": only a person can write it in another scope", "memctl show "+policy.Inert(Redacted(key)))
		}
	}
	return nil
}

// lockedIn reports whether the store has the item and it is locked: in a memory file that
// is not on disk, too, where git has that.
func lockedIn(ctx context.Context, st *store.Store, key string) (bool, error) {
	m, err := contents.Read(ctx, st)
	if err != nil {
		return false, err
	}
	if it := m.Find(key); it != nil {
		return it.Locked, nil
	}
	kept, err := m.Kept(ctx)
	if err != nil || kept == nil {
		return false, err
	}
	i := Find(kept, key)
	return i >= 0 && kept.Items[i].Locked, nil
}

// RuleOn refuses an item that the policy would not take as it stands.
func RuleOn(st *store.Store, r *txn.Record) error {
	var ruling policy.Ruling
	if r.Item != nil {
		ruling = st.Rule(policy.FromItem(*r.Item, st.Scope))
	} else {
		ruling = contents.RuleEntry(st, *r.Entry, "", false, true)
	}
	if ruling.Verdict == policy.Refuse {
		return &Refusal{Findings: Findings(ruling.Findings)}
	}
	return nil
}

// NotPurged refuses to restore the placeholder of a purged value.
func NotPurged(v memfile.Value) error {
	if policy.HasPurgedPart(v) {
		return Refuse(rulePurged, "the value was purged, so it cannot be brought back")
	}
	return nil
}

// ReviewHint is the command that shows what waits.
const ReviewHint = "memctl review"

// Held is the reason of what waits because the policy holds it.
const Held = "held"
