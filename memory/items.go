package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// itemsAct is an act on items that are there, named by key: one commit for all
// keys of a scope, one answer a key.
type itemsAct struct {
	Options
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
func (act itemsAct) run(ctx context.Context, ss *store.Stores, keys []string) ([]Write, error) {
	answers := make([]Write, len(keys))
	byScope := map[string][]int{}
	var scopes []string
	for i, key := range keys {
		st, exact, err := locate(ctx, ss, key, act.Scope)
		answers[i] = act.answer(act.name, exact, act.Scope)
		if err != nil {
			if answers[i], err = answers[i].refused(err); err != nil {
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
func decided[T any](answers []Write, undecided []string, byScope map[string][]T) []Write {
	var list []Write
	for _, w := range answers {
		if !slices.Contains(undecided, w.Scope) || byScope[w.Scope] == nil {
			list = append(list, w)
		}
	}
	return list
}

// inScope changes the items of one scope in one transaction.
func (act itemsAct) inScope(ctx context.Context, ss *store.Stores, scope string, keys []string, which []int, answers []Write) error {
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
			at := mergeDuplicates(doc, keys[i])
			if at < 0 {
				answers[i], _ = answers[i].refused(refuse(ruleNotFound, "no item has this key"))
				continue
			}
			err := act.permitted(ctx, ss, st.Scope, doc, &doc.Items[at])
			if err == nil {
				err = act.change(doc, &doc.Items[at], scope)
			}
			if err != nil {
				doc.Items = before.Items
				if answers[i], err = answers[i].refused(err); err != nil {
					return err
				}
			}
		}
		return nil
	}
	out, err := update(ctx, st, txn.Write{
		Act: act.name, Keys: names, Message: act.Message, Origin: act.Origin.Kind, Clean: !act.explicit(), Wait: act.wait(), DryRun: act.DryRun, Change: change,
	})
	var deferred *store.DeferredError
	if errors.As(err, &deferred) {
		err = refuse(deferred.Why, deferred.Error())
	}
	for _, i := range which {
		if err != nil {
			var fault error
			if answers[i], fault = answers[i].refused(err); fault != nil {
				return fault
			}
			continue
		}
		if answers[i].Verdict == policy.Accept.String() {
			answers[i] = answers[i].outcome(out)
			if out.Changed {
				text := cmp.Or(act.said, act.done+" "+answers[i].Key+act.shown(out, keys[i]))
				answers[i].Saved = text + takeBack(out, act.opposite, answers[i].Key)
				if act.name == "confirm" {
					answers[i].Notes = append(answers[i].Notes, reach(ctx, ss, act.Options, keys[i], scope)...)
				}
			}
			if at := find(&out.After, keys[i]); act.name == "confirm" && act.explicit() && !act.DryRun && at >= 0 {
				if contents.Vouch(ctx, st, &contents.Item{Item: out.After.Items[at]}) {
					answers[i].Notes = append(answers[i].Notes, countsAsReviewed)
				}
			}
		}
	}
	return nil
}

// countsAsReviewed is said of what a person confirms and had not reviewed before.
const countsAsReviewed = "it counts as reviewed on this machine now"

// shown is the value that a confirmed key has now.
func (act itemsAct) shown(out txn.Outcome, key string) string {
	if i := find(&out.After, key); act.name == "confirm" && i >= 0 {
		return " = " + oneLine(out.After.Items[i].Value)
	}
	return ""
}

// permitted refuses what switches and locks forbid to all but a person.
func (act itemsAct) permitted(ctx context.Context, ss *store.Stores, scope string, doc *memfile.Document, it *memfile.Item) error {
	if act.explicit() {
		return nil
	}
	if err := enabledFor(ctx, ss, scope, doc); err != nil {
		return err
	}
	if it.Locked {
		return refuse(ruleLocked, "the item is locked: only a person changes it", "memctl "+act.name+" "+it.Key)
	}
	if err := notLockedElsewhere(ctx, ss, scope, it.Key); err != nil {
		return err
	}
	if act.ownersOnly && it.Stated() {
		return statedByPerson(act.name+"s", "memctl "+act.name+ScopeFlag(scope)+" "+policy.Inert(redacted(it.Key)))
	}
	return nil
}

// statedByPerson refuses an agent what would hide, freeze or move what a person stated.
func statedByPerson(does, command string) *refusal {
	return refuse(ruleExplicitOnly, "a person stated this, so only a person "+does+" it", command)
}

// locate finds the one store that holds the key, by its exact text, else by
// its normal form. Several are a refusal that names the scopes.
func locate(ctx context.Context, ss *store.Stores, key, scope string) (*store.Store, string, error) {
	normal, _ := memfile.NormalKey(key)
	for _, k := range slices.Compact([]string{key, normal}) {
		list, err := holders(ctx, ss, k, scope, hasItem)
		if err != nil {
			return nil, key, err
		}
		if len(list) > 1 {
			list = applying(ctx, ss, list, k)
		}
		if len(list) == 1 {
			return list[0], k, nil
		}
		if len(list) > 1 {
			return nil, k, inSeveral(list)
		}
	}
	return nil, key, notFound(ctx, ss, key, scope)
}

// applying leaves out of the stores that hold the key those whose item gives way to a
// person's: that one is meant. It leaves several where several are a person's.
func applying(ctx context.Context, ss *store.Stores, list []*store.Store, key string) []*store.Store {
	outranked := bindings(ctx, ss, false).outranks()
	return slices.DeleteFunc(slices.Clone(list), func(st *store.Store) bool {
		_, gives := outranked[session.Ref{Scope: st.Scope, Key: key}]
		return gives
	})
}

// inSeveral refuses a key that several scopes hold.
func inSeveral(list []*store.Store) *refusal {
	r := refuse(ruleAmbiguous, "the key stands in several scopes")
	for _, st := range list {
		r.hints = append(r.hints, "--scope "+st.Scope)
	}
	return r
}

// notFound is the refusal for a key that is not there, with the nearest ones.
func notFound(ctx context.Context, ss *store.Stores, key, scope string) error {
	keys, err := allKeys(ctx, ss, scope)
	if err != nil {
		return err
	}
	r := refuse(ruleNotFound, "no item has this key")
	if waits, err := inQueue(ctx, ss, key, scope); err != nil {
		return err
	} else if waits {
		r = refuse(ruleNotFound, "no item has this key yet: it waits for review")
		r.hints = []string{"memctl review"}
		return r
	}
	for _, near := range nearest(keys, key) {
		r.findings[0].Message += "; did you mean " + policy.Inert(near) + "?"
		break
	}
	r.hints = []string{"memctl show"}
	if missing := Away(ctx, ss, scope); missing != nil {
		r.findings[0].Message += "; " + missing.Error()
		r.hints = []string{missing.Back}
	}
	return r
}

// Confirm raises items to high, relayed to medium, settles their conflict, and
// takes the tag needs-confirmation away. Value n makes the n-th value of the
// conflict the item's.
func Confirm(ctx context.Context, ss *store.Stores, req ConfirmRequest) ([]Write, error) {
	if len(req.Keys) == 1 && !memfile.KeyForm(req.Keys[0]) {
		if req.isEntry(ctx, ss, req.Keys[0]) {
			w, err := req.confirmEntry(ctx, ss, req.Keys[0])
			return []Write{w}, err
		}
	}
	today := ss.Today()
	act := itemsAct{Options: req.Options, name: "confirm", done: "Confirmed", opposite: "doubt", said: req.said}
	act.change = func(doc *memfile.Document, it *memfile.Item, scope string) error {
		if err := req.pick(it, today); err != nil {
			return err
		}
		if err := ruleOn(ss, *it, scope); err != nil {
			return err
		}
		if !act.explicit() {
			if statedInDoubt(it) {
				return onlyPersonConfirms("memctl confirm" + ScopeFlag(scope) + " " + policy.Inert(redacted(it.Key)))
			}
			if level(it.Confidence) < level(memfile.Medium) {
				raise(it, memfile.Medium)
			}
			if it.By == memfile.ByAutomatic {
				it.By, it.Source = memfile.ByRelayed, relayedSource(req.Options)
			}
			return nil
		}
		liftTombstone(doc, it.Key)
		raise(it, memfile.High)
		if ofAgent(it) {
			it.Source = statedSource
		}
		it.By, it.Conflict = "", nil
		return nil
	}
	if req.Origin.Kind == Automatic {
		act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
			return refuse(ruleExplicitOnly, "only a person confirms", "memctl confirm "+it.Key)
		}
	}
	return act.run(ctx, ss, req.Keys)
}

// statedInDoubt reports whether a person stated the item and it waits for confirmation. An
// agent cannot doubt what a person stated, so only a person lifts the doubt.
func statedInDoubt(it *memfile.Item) bool { return it.Stated() && itemUnconfirmed(it) }

func onlyPersonConfirms(command string) *refusal {
	return refuse(ruleExplicitOnly, "a person stated this, and it is in doubt: only a person confirms it", command)
}

// pick makes the rival of that number the item's value.
func (req ConfirmRequest) pick(it *memfile.Item, today string) error {
	if req.Value == 0 {
		return nil
	}
	if req.Value < 0 || req.Value > len(it.Conflict) {
		return refuse(ruleValue, "the item has no other value of that number", "memctl show "+it.Key)
	}
	if !req.explicit() {
		return refuse(ruleExplicitOnly, "only a person chooses among values in conflict", "memctl confirm "+it.Key+" --value "+strconv.Itoa(req.Value))
	}
	rival := it.Conflict[req.Value-1]
	it.Value, it.Updated, it.By = rival.Value, today, rival.By
	if rival.Source != "" {
		it.Source = rival.Source
	}
	it.Signals, it.Seen = rival.Signals, rival.Seen
	return nil
}

// ruleOn refuses an item that the policy would not take as it stands.
func ruleOn(ss *store.Stores, it memfile.Item, scope string) error {
	r := ss.Rule(policy.FromItem(it, scope))
	if r.Verdict == policy.Refuse {
		return &refusal{findings: findings(r.Findings)}
	}
	return nil
}

// Doubt lowers items to low, so that they leave the profile until confirmed.
// The signals that spoke for them so far count no more.
func Doubt(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error) {
	act := itemsAct{Options: req.Options, name: "doubt", done: "Doubted", opposite: "confirm", ownersOnly: true}
	act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
		lower(it)
		it.Signals, it.Seen = 0, ""
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// Lock makes items such that only an explicit write changes or forgets them.
func Lock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error) {
	act := itemsAct{Options: req.Options, name: "lock", done: "Locked", opposite: "unlock", ownersOnly: true}
	act.change = func(_ *memfile.Document, it *memfile.Item, scope string) error {
		it.Locked = true
		if act.explicit() {
			it.By = ownWord(it.By, scope)
		}
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// Unlock takes the lock away; a person alone does that.
func Unlock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error) {
	act := itemsAct{Options: req.Options, name: "unlock", done: "Unlocked", opposite: "lock"}
	act.change = func(_ *memfile.Document, it *memfile.Item, _ string) error {
		if !req.explicit() {
			return refuse(ruleExplicitOnly, "only a person unlocks an item", "memctl unlock "+it.Key)
		}
		it.Locked = false
		return nil
	}
	return act.run(ctx, ss, req.Keys)
}

// SetValue gives an item another value, stated by the person who reviews it. It works for
// keys that memctl would not write too.
func SetValue(ctx context.Context, ss *store.Stores, o Options, key string, v memfile.Value) (Write, error) {
	act := itemsAct{Options: o, name: "review", done: "Saved"}
	today := ss.Today()
	act.change = func(doc *memfile.Document, it *memfile.Item, scope string) error {
		it.Value, it.Updated, it.By, it.Conflict, it.Signals, it.Seen = v, today, "", nil, 0, ""
		it.Source = statedSource
		raise(it, memfile.High)
		if err := ruleOn(ss, *it, scope); err != nil {
			return err
		}
		liftTombstone(doc, it.Key)
		return nil
	}
	return First(act.run(ctx, ss, []string{key}))
}

// First is the answer of an act on one key.
func First(list []Write, err error) (Write, error) {
	if len(list) == 0 {
		return Write{}, err
	}
	return list[0], err
}
