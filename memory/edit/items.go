package edit

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// itemsAct is an act on items that are there, named by key: one commit for all
// keys of a scope, one answer a key.
type itemsAct struct {
	memory.Options
	name   string
	change func(doc *memfile.Document, it *memfile.Item, scope string) error
	done   string // what the announcement begins with: "Confirmed"
	// opposite takes the act back where there is no history to undo it from.
	opposite string
	said     string // what review says instead of done, the key and the value
	// ownersOnly: of what a person stated, only a person does this.
	ownersOnly bool
}

// run changes the items. A key that is refused leaves the others alone.
func (act itemsAct) run(ctx context.Context, ss *store.Stores, keys []string) ([]memory.Write, error) {
	answers := make([]memory.Write, len(keys))
	byScope := map[string][]int{}
	var scopes []string
	for i, key := range keys {
		st, exact, err := memory.Locate(ctx, ss, key, act.Scope)
		answers[i] = act.Answer(act.name, exact, act.Scope)
		if err != nil {
			if answers[i], err = answers[i].Refused(err); err != nil {
				return nil, err
			}
			continue
		}
		keys[i], answers[i].Scope = exact, st.Scope
		if byScope[st.Scope] == nil {
			scopes = append(scopes, st.Scope)
		}
		byScope[st.Scope] = append(byScope[st.Scope], i)
	}
	for n, scope := range scopes {
		if err := act.inScope(ctx, ss, scope, keys, byScope[scope], answers); err != nil {
			return decided(answers, scopes[n:], byScope), err
		}
	}
	return answers, nil
}

// decided are the answers without those of the scopes that a fault kept from
// being decided.
func decided[T any](answers []memory.Write, undecided []string, byScope map[string][]T) []memory.Write {
	var list []memory.Write
	for _, w := range answers {
		if !slices.Contains(undecided, w.Scope) || byScope[w.Scope] == nil {
			list = append(list, w)
		}
	}
	return list
}

// inScope changes the items of one scope in one transaction.
func (act itemsAct) inScope(ctx context.Context, ss *store.Stores, scope string, keys []string, which []int, answers []memory.Write) error {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(which))
	for _, i := range which {
		names = append(names, keys[i])
	}
	change := func(doc *memfile.Document) error {
		for _, i := range which {
			before := memfile.Document{Items: slices.Clone(doc.Items)}
			at := memory.MergeDuplicates(doc, keys[i])
			if at < 0 {
				answers[i], _ = answers[i].Refused(memory.Refuse(memory.RuleNotFound, "no item has this key"))
				continue
			}
			err := act.permitted(ctx, ss, st.Scope, doc, &doc.Items[at])
			if err == nil {
				err = act.change(doc, &doc.Items[at], scope)
			}
			if err != nil {
				doc.Items = before.Items
				if answers[i], err = answers[i].Refused(err); err != nil {
					return err
				}
			}
		}
		return nil
	}
	out, err := act.Update(ctx, st, txn.Write{
		Act: act.name, Keys: names, Change: change,
	})
	err = memory.AsRefusal(err)
	for _, i := range which {
		if err != nil {
			var fault error
			if answers[i], fault = answers[i].Refused(err); fault != nil {
				return fault
			}
			continue
		}
		if answers[i].Verdict == policy.Accept.String() {
			answers[i] = answers[i].Outcome(out)
			if out.Changed {
				text := cmp.Or(act.said, act.done+" "+answers[i].Key+act.shown(out, keys[i]))
				answers[i].Saved = text + memory.UndoHint(out, act.opposite, answers[i].Key)
				if act.name == "confirm" {
					answers[i].Notes = append(answers[i].Notes, reach(ctx, ss, act.Options, keys[i], scope)...)
				}
			}
			if at := memory.Find(&out.After, keys[i]); act.name == "confirm" && act.Explicit() && at >= 0 {
				if contents.Vouch(ctx, st, &contents.Item{Item: out.After.Items[at]}) {
					answers[i].Notes = append(answers[i].Notes, countsAsReviewed)
				}
			}
		}
	}
	return nil
}

// countsAsReviewed is said of what a person confirms and had not reviewed before.
const countsAsReviewed = "it now counts as reviewed on this machine"

// shown is the value that a confirmed key has now.
func (act itemsAct) shown(out txn.Outcome, key string) string {
	if i := memory.Find(&out.After, key); act.name == "confirm" && i >= 0 {
		return " = " + memory.OneLine(out.After.Items[i].Value)
	}
	return ""
}

// permitted refuses what switches and locks forbid to all but a person.
func (act itemsAct) permitted(ctx context.Context, ss *store.Stores, scope string, doc *memfile.Document, it *memfile.Item) error {
	if act.Explicit() {
		return nil
	}
	if err := enabledFor(ctx, ss, scope, doc); err != nil {
		return err
	}
	if it.Locked {
		return memory.Refuse(memory.RuleLocked, "the item is locked: only a person can change it")
	}
	if err := memory.NotLockedElsewhere(ctx, ss, scope, it.Key); err != nil {
		return err
	}
	if act.ownersOnly && it.Stated() {
		return statedByPerson(act.name, memory.Facts{Scope: scope})
	}
	return nil
}

// statedByPerson refuses an agent what would hide, freeze or move what a person stated.
func statedByPerson(does string, facts memory.Facts) *memory.Refusal {
	return memory.Refuse(memory.RuleExplicitOnly, "a person stated this, so only a person can "+does+" it", facts)
}

// Confirm raises items to high, relayed to medium, settles their conflict, and
// takes the tag needs-confirmation away. Value n makes the n-th value of the
// conflict the item's.
func Confirm(ctx context.Context, ss *store.Stores, req ConfirmRequest) ([]memory.Write, error) {
	if len(req.Keys) == 1 && !memfile.KeyForm(req.Keys[0]) {
		if req.isEntry(ctx, ss, req.Keys[0]) {
			w, err := req.confirmEntry(ctx, ss, req.Keys[0])
			return []memory.Write{w}, err
		}
	}
	today := ss.Today()
	act := itemsAct{Options: req.Options, name: "confirm", done: "Confirmed", opposite: "doubt", said: req.Said}
	act.change = func(doc *memfile.Document, it *memfile.Item, scope string) error {
		if err := req.pick(it, today); err != nil {
			return err
		}
		if err := memory.RuleOn(ss, *it, scope); err != nil {
			return err
		}
		if !act.Explicit() {
			if statedInDoubt(it) {
				return onlyPersonConfirms(scope)
			}
			if memory.Rank(it.Confidence) < memory.Rank(memfile.Medium) {
				memory.Raise(it, memfile.Medium)
			}
			if it.By == memfile.ByAutomatic {
				it.By, it.Source = memfile.ByRelayed, relayedSource(req.Options)
			}
			return nil
		}
		memory.LiftTombstone(doc, it.Key)
		memory.Raise(it, memfile.High)
		if ofAgent(it) {
			it.Source = statedSource
		}
		it.By, it.Conflict = "", nil
		return nil
	}
	if req.Origin.Kind == memory.Automatic {
		act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
			return memory.Refuse(memory.RuleExplicitOnly, "only a person can confirm")
		}
	}
	return act.run(ctx, ss, req.Keys)
}

// statedInDoubt reports whether a person stated the item and it waits for confirmation. An
// agent cannot doubt what a person stated, so only a person lifts the doubt.
func statedInDoubt(it *memfile.Item) bool { return it.Stated() && memory.ItemUnconfirmed(it) }

func onlyPersonConfirms(scope string) *memory.Refusal {
	return memory.Refuse(memory.RuleExplicitOnly, "a person stated this, and it is now doubtful; only a person can confirm it", memory.Facts{Scope: scope})
}

// pick makes the rival of that number the item's value.
func (req ConfirmRequest) pick(it *memfile.Item, today string) error {
	if req.Value == 0 {
		return nil
	}
	if req.Value < 0 || req.Value > len(it.Conflict) {
		return memory.Refuse(memory.RuleValue, "the item has no other value with that number", memory.Facts{Why: "choice"})
	}
	if !req.Explicit() {
		return memory.Refuse(memory.RuleExplicitOnly, "only a person can choose among values in conflict", memory.Facts{Names: []string{it.Key, "--value", strconv.Itoa(req.Value)}})
	}
	rival := it.Conflict[req.Value-1]
	it.Value, it.Updated, it.By = rival.Value, today, rival.By
	if rival.Source != "" {
		it.Source = rival.Source
	}
	it.Signals, it.Seen = rival.Signals, rival.Seen
	return nil
}

// Doubt lowers items to low, so that they leave the profile until confirmed.
// The signals that spoke for them so far count no more.
func Doubt(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	act := itemsAct{Options: req.Options, name: "doubt", done: "Doubted", opposite: "confirm", ownersOnly: true}
	act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
		it.Lower()
		it.Signals, it.Seen = 0, ""
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// Lock makes items such that only an explicit write changes or forgets them.
func Lock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	act := itemsAct{Options: req.Options, name: "lock", done: "Locked", opposite: "unlock", ownersOnly: true}
	act.change = func(_ *memfile.Document, it *memfile.Item, scope string) error {
		it.Locked = true
		if act.Explicit() {
			it.By = memory.OwnWord(it.By, scope)
		}
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// Unlock takes the lock away; a person alone does that.
func Unlock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]memory.Write, error) {
	act := itemsAct{Options: req.Options, name: "unlock", done: "Unlocked", opposite: "lock"}
	act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
		if !req.Explicit() {
			return memory.Refuse(memory.RuleExplicitOnly, "only a person can unlock an item")
		}
		it.Locked = false
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// SetValue gives an item another value, stated by the person who reviews it. It works for
// keys that memctl would not write too.
func SetValue(ctx context.Context, ss *store.Stores, o memory.Options, key string, v memfile.Value) (memory.Write, error) {
	act := itemsAct{Options: o, name: "review", done: "Saved"}
	today := ss.Today()
	act.change = func(doc *memfile.Document, it *memfile.Item, scope string) error {
		it.Value, it.Updated, it.By, it.Conflict, it.Signals, it.Seen = v, today, "", nil, 0, ""
		it.Source = statedSource
		memory.Raise(it, memfile.High)
		if err := memory.RuleOn(ss, *it, scope); err != nil {
			return err
		}
		memory.LiftTombstone(doc, it.Key)
		return nil
	}
	return memory.First(act.run(ctx, ss, []string{key}))
}

// Text is the value of an item, or the text of a fact, as a person edits it.
type Text struct {
	Name  string // the item's key, or the beginning of the fact's id
	Scope string
	Text  string
	YAML  bool // the value is no string, and Text is its YAML
	fact  *view.LiveEntry
}

// FindText finds what a person wants to edit: the item of a key, or the fact of an id. Errors:
// a refusal where there is none, or several; where it is a note or a summary.
func FindText(ctx context.Context, ss *store.Stores, scope, name string) (Text, error) {
	st, key, err := memory.Locate(ctx, ss, name, scope)
	if err == nil {
		m, err := contents.Read(ctx, st)
		if err != nil {
			return Text{}, err
		}
		it := m.Find(key)
		if it == nil {
			return Text{}, memory.Refuse(memory.RuleNotFound, "no item has this key")
		}
		t := Text{Name: key, Scope: st.Scope, Text: it.Value.Text, YAML: it.Value.Kind != memfile.String}
		if t.YAML {
			t.Text = it.Value.YAML()
		}
		return t, nil
	}
	if memfile.KeyForm(name) || !fault.Is(memory.AsError(name, err), memory.RuleNotFound) {
		return Text{}, err
	}
	st, e, err := view.StandingEntry(ctx, ss, scope, name)
	if err != nil {
		return Text{}, err
	}
	if e.Role != entry.RoleFact {
		return Text{}, memory.Refuse(memory.RuleValue, "only items and facts can be edited this way; a note or summary is a file: "+filepath.Join(st.Dir, filepath.FromSlash(e.Path)))
	}
	return Text{Name: memory.ShortID(e.ID), Scope: st.Scope, Text: e.Text, fact: e}, nil
}

// Store stores what a person made of the text, with the checks of add and remember.
func (t Text) Store(ctx context.Context, ss *store.Stores, o memory.Options, text string) (memory.Write, error) {
	o.Scope = t.Scope
	if t.fact != nil {
		kept := t.fact.Labels
		kept.Source, kept.Confidence = "", "" // of the earlier text
		return Remember(ctx, ss, RememberRequest{
			Options: o, Role: entry.RoleFact, Text: text, Replace: t.fact.ID, Category: t.fact.Category, Labels: kept, Topics: t.fact.Topics,
			Conversation: t.fact.Conversation, Weight: t.fact.Weight, Lasts: true,
		})
	}
	value := memfile.Str(text)
	if t.YAML {
		var err error
		if value, err = ParseYAML(t.Name, text); err != nil {
			return memory.Write{}, err
		}
	}
	return Add(ctx, ss, AddRequest{Options: o, Key: t.Name, Value: value, Lasts: true})
}

// ParseYAML reads the value of a key from YAML that a person edited. Errors: code value-form.
func ParseYAML(key, text string) (memfile.Value, error) {
	value, err := memfile.ParseValue(text)
	if err != nil {
		return memfile.Value{}, wrongForm(key, "not YAML: "+err.Error())
	}
	return value, CheckForm(key, value)
}
