package edit

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// act is an act on items and entries, named by key or id: one commit for all of a scope,
// one answer for each.
type act struct {
	memory.Options
	name    string
	change  func(d *txn.Draft, r *txn.Record) error
	done    string // what the announcement begins with: "Confirmed"
	command string // the command line of the act, where it is not the name
	// opposite takes the act back where there is no history to undo it from.
	opposite    string
	said        string // what review says instead of done, the key and the value
	entriesOnly bool
}

// target is the item or the entry that an argument names.
type target struct {
	answer *memory.Write
	name   string // for a Draft: the item's key, or the path of the entry's file
	id     string // in a commit: the key, or the entry's id
	entry  *view.LiveEntry
}

// locate finds the item of a key or the entry of an id. An agent finds no entry that is
// withheld from it.
func (act act) locate(ctx context.Context, ss *store.Stores, name string) (*store.Store, target, error) {
	if act.entriesOnly || !memfile.KeyForm(name) {
		st, e, err := view.EntryByID(ctx, ss, act.Scope, name)
		if err == nil && (act.entriesOnly || act.Explicit() || e.Reasons()&^(contents.Doubts|contents.Switches) == 0) {
			return st, target{name: e.Path, id: e.ID, entry: e}, nil
		}
		if act.entriesOnly {
			return nil, target{id: name}, err
		}
	}
	st, key, err := memory.Locate(ctx, ss, name, act.Scope)
	return st, target{name: key, id: key}, err
}

// shown is the name of the target in an answer.
func (t target) shown() string {
	if t.entry != nil {
		return memory.ShortID(t.id)
	}
	return t.id
}

// run changes the items and the entries, those of a glob too. One that is refused leaves the others alone.
func (act act) run(ctx context.Context, ss *store.Stores, names []string) ([]memory.Write, error) {
	names, err := memory.Matching(ctx, ss, names, act.Scope)
	if err != nil {
		return nil, err
	}
	answers := make([]memory.Write, len(names))
	var found []target
	for i, name := range names {
		st, t, err := act.locate(ctx, ss, name)
		answers[i] = act.Answer(act.name, t.shown(), act.Scope)
		if err != nil {
			if answers[i], err = answers[i].Refused(err); err != nil {
				return nil, err
			}
			continue
		}
		t.answer, answers[i].Scope = &answers[i], st.Scope
		found = append(found, t)
	}
	return inEachScope(answers, found, func(t target) string { return t.answer.Scope }, func(scope string, targets []target) error {
		return act.inScope(ctx, ss, scope, targets)
	})
}

// inEachScope acts on the targets scope by scope, in the order in which they name the scopes. After a fault, the
// answers are those of the scopes before.
func inEachScope[T any](answers []memory.Write, targets []T, scopeOf func(T) string, act func(scope string, targets []T) error) ([]memory.Write, error) {
	byScope := map[string][]T{}
	var scopes []string
	for _, t := range targets {
		scope := scopeOf(t)
		if byScope[scope] == nil {
			scopes = append(scopes, scope)
		}
		byScope[scope] = append(byScope[scope], t)
	}
	for n, scope := range scopes {
		if err := act(scope, byScope[scope]); err != nil {
			return slices.DeleteFunc(answers, func(w memory.Write) bool { return slices.Contains(scopes[n:], w.Scope) }), err
		}
	}
	return answers, nil
}

// inScope changes the targets of one scope in one transaction.
func (act act) inScope(ctx context.Context, ss *store.Stores, scope string, targets []target) error {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return err
	}
	w := txn.Write{Act: act.name, Change: func(d *txn.Draft) (err error) {
		for i := 0; i < len(targets) && err == nil; i++ {
			err = targets[i].answer.Attempt(func() error { return act.changeOne(ctx, d, targets[i]) })
		}
		return err
	}}
	for _, t := range targets {
		w.Keys, w.Files = append(w.Keys, t.id), w.Files || t.entry != nil
		if t.entry != nil && len(targets) == 1 {
			w.Subject = act.name + " " + t.entry.Tier() + " " + t.shown()
		}
	}
	out, err := act.Update(ctx, st, w)
	for _, t := range targets {
		a := t.answer
		made, fault := a.Settle(out, memory.AsRefusal(err))
		if fault != nil {
			return fault
		}
		if !made {
			continue
		}
		if out.Changed {
			a.Saved = cmp.Or(act.said, act.done+act.announced(out, t)) + memory.UndoHint(out, act.opposite, a.Key)
		}
		if act.name == "confirm" {
			act.afterConfirm(ctx, ss, st, out, t)
		}
	}
	return nil
}

// changeOne changes one target in the draft.
func (act act) changeOne(ctx context.Context, d *txn.Draft, t target) error {
	r, err := d.Find(t.name)
	if r == nil {
		return cmp.Or(err, error(memory.Refuse(memory.RuleNotFound, "no item has this key")))
	}
	key := ""
	if r.Item != nil {
		key = r.Item.Key
	}
	if err := mayWrite(ctx, act.Options, d, act.name, memory.StateOf(r.Labels), key, "memctl "+cmp.Or(act.command, act.name)+memory.ScopeFlag(d.Store.Scope)+" "+keyOrShortID(r)); err != nil {
		return err
	}
	if err := act.change(d, r); err != nil {
		return err
	}
	return d.PutRecord(r)
}

// announced names the target, the text of an entry, and the value that a confirmed key has now.
func (act act) announced(out txn.Outcome, t target) string {
	if t.entry != nil {
		return ": " + t.entry.Tier() + " " + t.shown() + " = " + memory.ShownText(t.entry.Verdict, t.entry.Text)
	}
	if i := memory.Find(&out.After, t.name); act.name == "confirm" && i >= 0 {
		return " " + t.answer.Key + " = " + memory.OneLine(out.After.Items[i].Value)
	}
	return " " + t.answer.Key
}

// afterConfirm vouches for what a person confirmed, and says why no session receives it.
func (act act) afterConfirm(ctx context.Context, ss *store.Stores, st *store.Store, out txn.Outcome, t target) {
	if out.Changed {
		t.answer.Notes = append(t.answer.Notes, whyNotReceived(ctx, ss, act.Options, t.name, st.Scope)...)
	}
	vouched, edited := false, false
	switch {
	case !act.Explicit():
	case t.entry != nil:
		vouched = contents.VouchEntry(ctx, st, t.name)
	default:
		vouched, edited = contents.Vouch(ctx, st, t.name)
	}
	if edited && !out.Changed {
		t.answer.Saved = act.done + act.announced(out, t)
	}
	if vouched {
		t.answer.Notes = append(t.answer.Notes, fault.NewNote("counts-as-reviewed", "it now counts as reviewed on this machine"))
	}
}

// keyOrShortID is the key of an item or the beginning of an entry's id, for a command.
func keyOrShortID(r *txn.Record) string {
	if r.Entry != nil {
		return memory.ShortID(r.Entry.ID)
	}
	return policy.Inert(memory.Redacted(r.Item.Key))
}

// Confirm raises items and facts to high, relayed to medium, settles the conflict of items, and
// takes the tag needs-confirmation away. Value n makes the n-th value of the
// conflict the item's.
func Confirm(ctx context.Context, ss *store.Stores, req ConfirmRequest) ([]memory.Write, error) {
	act := act{Options: req.Options, name: "confirm", done: "Confirmed", opposite: "confirm --undo", said: req.Said}
	heard := memory.Listen(ss, req.Origin)
	var said []string
	act.change = func(d *txn.Draft, r *txn.Record) error {
		whose := req.Options
		whose.Origin = heard.Origin(keyOrShortID(r), r.Value().Plain())
		if err := whose.Permit("confirm", memory.StateOf(r.Labels), "memctl confirm"+memory.ScopeFlag(d.Store.Scope)+" "+keyOrShortID(r)); err != nil {
			return err
		}
		if err := onlyFacts(r, "confirmed"); err != nil {
			return err
		}
		if err := req.withCorrection(d.Store, r).pick(r, ss.Today()); err != nil {
			return err
		}
		if r.Item != nil && notEmpty(r.Item.Value) != nil {
			return memory.Refuse(memory.RuleValue, "the item has no value", "memctl add "+keyOrShortID(r)+" TEXT"+memory.ScopeFlag(d.Store.Scope), "memctl forget "+keyOrShortID(r)+memory.ScopeFlag(d.Store.Scope))
		}
		if err := memory.RuleOn(d.Store, r); err != nil {
			return err
		}
		if !req.Explicit() {
			return req.confirmRelayed(r, d.Store.Scope)
		}
		said = append(said, r.Value().Plain())
		memory.Raise(r.Labels, memfile.High)
		others := ofOthers(*r.Labels)
		r.By = ""
		if r.Entry != nil {
			if others {
				r.Source = "" // as a person's own fact has it
			}
			return contents.LiftEntry(d.Store, d.Document, *r.Entry)
		}
		if others {
			r.Source = statedSource
		}
		r.Item.Conflict, r.Item.Added = nil, cmp.Or(r.Item.Added, ss.Today())
		memory.LiftTombstone(d.Document, r.Item.Key, r.Item.Value)
		return nil
	}
	list, err := act.run(ctx, ss, req.Keys)
	return list, cmp.Or(err, closeProposals(ctx, ss, req.Options, said...))
}

// confirmRelayed confirms on the person's word as an agent passes it on.
func (req ConfirmRequest) confirmRelayed(r *txn.Record, scope string) error {
	switch {
	case r.IsStated() && unconfirmed(r):
		return memory.Refuse(memory.RuleExplicitOnly, "a person stated this, and it is now doubtful; only a person can confirm it", "memctl confirm"+memory.ScopeFlag(scope)+" "+keyOrShortID(r))
	case r.IsStated():
		return nil
	case memory.Rank(r.Confidence) < memory.Rank(memfile.Medium):
		memory.Raise(r.Labels, memfile.Medium)
	}
	if r.By == memfile.ByAutomatic {
		r.By, r.Source = memfile.ByRelayed, relayedSource(req.Options)
	}
	return nil
}

// onlyFacts refuses notes and summaries, which have no confidence.
func onlyFacts(r *txn.Record, done string) error {
	if r.Entry != nil && r.Entry.Tier() != entry.Fact {
		return memory.Refuse(memory.RuleValue, "only facts can be "+done+", but this is a "+r.Entry.Tier())
	}
	return nil
}

// pick makes the rival of that number the item's value.
func (req ConfirmRequest) pick(r *txn.Record, today string) error {
	it := r.Item
	switch {
	case req.Value == 0:
		return nil
	case it == nil:
		return memory.Refuse(memory.RuleValue, "a fact has no values in conflict")
	case req.Value < 0 || req.Value > len(it.Conflict):
		return memory.Refuse(memory.RuleValue, "the item has no other value with that number", "memctl show "+keyOrShortID(r))
	}
	if err := req.Permit("confirm --value", memory.StateOf(r.Labels), "memctl confirm "+it.Key+" --value "+strconv.Itoa(req.Value)); err != nil {
		return err
	}
	rival := it.Conflict[req.Value-1]
	source := cmp.Or(rival.Source, it.Source)
	if ofOthers(rival.Labels) {
		source = statedSource
	}
	return stateValue(r, rival.Value, source, today)
}

// Doubt lowers items and facts to low, so that they leave the profile until confirmed.
// The signals that spoke for them so far count no more.
func Doubt(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	return act{Options: req.Options, name: "doubt", command: "confirm --undo", done: "Doubted", opposite: "confirm", change: func(_ *txn.Draft, r *txn.Record) error {
		memfile.Lower(r.Labels)
		r.Signals, r.Seen = 0, ""
		return onlyFacts(r, "doubted")
	}}.run(ctx, ss, req.Keys)
}

// Lock locks items and entries: only an explicit write can then change or forget them.
func Lock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	return act{Options: req.Options, name: "lock", done: "Locked", opposite: "lock --off", change: func(d *txn.Draft, r *txn.Record) error {
		r.Locked = true
		if req.Explicit() {
			r.By = memory.WhoseWord(r.By, d.Store.Scope)
		}
		return nil
	}}.run(ctx, ss, req.Keys)
}

// Unlock takes the lock away; a person alone does that.
func Unlock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	return act{Options: req.Options, name: "unlock", command: "lock --off", done: "Unlocked", opposite: "lock", change: func(_ *txn.Draft, r *txn.Record) error {
		r.Locked = false
		return nil
	}}.run(ctx, ss, req.Keys)
}

// Verify records that entries are still true: it updates their anchors to the
// present code, and sets the day on which they were seen to today.
func Verify(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	return act{Options: req.Options, name: "verify", done: "Verified", entriesOnly: true, change: func(d *txn.Draft, r *txn.Record) error {
		r.Seen = ss.Today()
		r.Entry.Anchors = slices.DeleteFunc(r.Entry.Anchors, func(a entry.Anchor) bool { // the fact holds without the file
			state, _ := contents.AnchorState(ctx, ss, a)
			return a.Hash == "" && state == contents.AnchorGone
		})
		for i, a := range r.Entry.Anchors {
			if a.Hash == "" {
				continue
			}
			at := a.Path
			if state, moved := contents.AnchorState(ctx, ss, a); state == contents.AnchorMoved {
				at = moved
			}
			fresh, err := contents.Anchor(ctx, ss, d.Store, at)
			if err != nil {
				return memory.Refuse(ruleAnchor, err.Error(), "memctl forget "+keyOrShortID(r))
			}
			r.Entry.Anchors[i] = fresh
		}
		return nil
	}}.run(ctx, ss, req.Keys)
}
