package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// How long an act waits for the lock.
const (
	waitExplicit  = 10 * time.Second
	waitAutomatic = 2 * time.Second
	waitHook      = 50 * time.Millisecond
)

// The rules of refusals that are the acts' own, beside the policy's.
const (
	ruleNotFound     = "not-found"
	ruleAmbiguous    = "ambiguous"
	ruleForgotten    = "forgotten"
	ruleLocked       = "locked"
	ruleDisabled     = "disabled"
	ruleKeyForm      = "key-form"
	ruleScope        = "scope"
	ruleExplicitOnly = "explicit-only"
	ruleConfidence   = "confidence"
	ruleValue        = "value"
	ruleChanged      = "changed-since"
	rulePurged       = "purged"
)

func (o Options) wait() time.Duration {
	if o.Origin.Kind == Explicit {
		return waitExplicit
	}
	return waitAutomatic
}

func (o Options) explicit() bool { return o.Origin.Kind == Explicit }

// asked is the flag of the scope that was asked for, to go before other words of a command.
func (o Options) asked() string {
	if o.Scope == "" || o.Scope == store.Only {
		return ""
	}
	return "--scope " + o.Scope + " "
}

// automatic reports whether the write may only wait, never leave the tree
// dirty. A relayed one was asked for by a person.
func (o Options) automatic() bool { return o.Origin.Kind == Automatic }

// by is the item's field for who set it last.
func (o Options) by() string {
	switch o.Origin.Kind {
	case Relayed:
		return memfile.ByRelayed
	case Automatic:
		return memfile.ByAutomatic
	}
	return ""
}

func (o Options) agent() string {
	if o.Origin.Name == "" {
		return "an agent"
	}
	return o.Origin.Name
}

// refusal ends an act from within its change: findings instead of an error.
type refusal struct {
	about    string // the one of several keys that it is for; "" where it is for each
	findings []Finding
	notes    []string
	hints    []string
	similar  *Similar
}

func (r *refusal) Error() string { return r.findings[0].Message }

func refuse(rule, message string, hints ...string) *refusal {
	hints = slices.DeleteFunc(hints, func(hint string) bool { return hint == "" })
	return &refusal{findings: []Finding{{Rule: rule, Message: message}}, hints: hints}
}

// ruleOnMessage refuses a commit message that the policy keeps out of git's history.
func ruleOnMessage(st *store.Store, message string) error {
	if message == "" {
		return nil
	}
	r := st.Rule(policy.Candidate{Message: message, Raw: true})
	if r.Verdict == policy.Accept {
		return nil
	}
	return &refusal{findings: findings(r.Findings)}
}

// update is st.Update, and refuses a message that the policy keeps out of git's history.
func update(ctx context.Context, st *store.Store, w txn.Write) (txn.Outcome, error) {
	if err := ruleOnMessage(st, w.Message); err != nil {
		return txn.Outcome{}, err
	}
	return txn.Update(ctx, st, w)
}

// answer starts the act's object for a key.
func (o Options) answer(act, key, scope string) Write {
	return Write{Schema: SchemaNumber, Act: act, Key: policy.Inert(redacted(key)), Scope: scope, Origin: o.Origin.Kind, Verdict: policy.Accept.String(), Findings: []Finding{}}
}

// refused turns a refusal into the act's object; any other error stays one.
func (w Write) refused(err error) (Write, error) {
	var r *refusal
	if !errors.As(err, &r) {
		return w, err
	}
	w.Verdict, w.Findings, w.Notes, w.Hints = policy.Refuse.String(), r.findings, append(w.Notes, r.notes...), r.hints
	w.Similar = r.similar
	if slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Rule == policy.RuleSecret && f.Where == "key" }) {
		w.Key = "" // it was judged as it came, and may not be told from others in lower case
	}
	return w, nil
}

// ruled turns the policy's ruling into findings.
func findings(list []policy.Finding) []Finding {
	out := []Finding{}
	for _, f := range list {
		message := f.Message
		if f.Hint != "" && !strings.HasPrefix(f.Hint, "memctl ") { // commands are hints of their own
			message += "; " + f.Hint
		}
		out = append(out, Finding{Rule: f.Rule, Where: f.Where, Message: message})
	}
	return out
}

// outcome fills in what became of the write.
func (w Write) outcome(out txn.Outcome) Write {
	w.Changed, w.Why, w.Diff, w.Notes = out.Changed, out.Why, out.Diff, append(w.Notes, out.Notes...)
	if out.Commit != "" {
		w.Commit = &out.Commit
	}
	if out.Changed && out.Commit == "" {
		w.Notes = append(w.Notes, commitsLater(out)...)
	}
	return w
}

// addCommand is the add of a value, to paste into a shell; "" where the value is long, has
// more than one line or is not for showing. A word in its place would be stored.
func addCommand(key string, v memfile.Value, flags string) string {
	const limit = 1000
	text := v.Text
	if v.Kind == memfile.List || v.Kind == memfile.Map {
		flags, text = flags+"--yaml ", v.YAML()
	}
	value := pasteable(text, "")
	if value == "" || len(text) > limit {
		return ""
	}
	return "memctl add " + flags + policy.Inert(redacted(key)) + " " + value
}

// pasteable is a text as a word of a shell's command; otherwise where it is empty or not for
// showing.
func pasteable(text, otherwise string) string {
	if text == "" || policy.Inert(text) != text || redacted(text) != text {
		return otherwise
	}
	return shell.QuoteAlways(text)
}

// takeBack names the command that takes the write back: undo, which needs a
// history, else the act that does the opposite, where there is one.
func takeBack(out txn.Outcome, opposite, key string) string {
	if command := undoCommand(out, opposite, key); command != "" {
		return " (undo: " + command + ")"
	}
	return ""
}

// find is the index of the key's item, -1 where there is none.
func find(doc *memfile.Document, key string) int {
	return slices.IndexFunc(doc.Items, func(it memfile.Item) bool { return it.Key == key })
}

// mergeDuplicates makes one item of several that share the key, as the next write to
// the key does, and returns its index; -1 where there is none.
func mergeDuplicates(doc *memfile.Document, key string) int {
	i := find(doc, key)
	if i < 0 {
		return i
	}
	var same []memfile.Item
	for _, it := range doc.Items {
		if it.Key == key {
			same = append(same, it)
		}
	}
	if len(same) == 1 {
		return i
	}
	winner := merge.SameKey(same)
	line := doc.Items[i].Line
	for _, it := range same {
		if memfile.Equal(it.Value, winner.Value) {
			line = it.Line // the winner changes where it stands
			break
		}
	}
	winner.Line = line
	doc.Items = slices.DeleteFunc(doc.Items, func(it memfile.Item) bool { return it.Key == key && it.Line != line })
	i = find(doc, key)
	doc.Items[i] = winner
	return i
}

// removeItem takes every item of the key out.
func removeItem(doc *memfile.Document, key string) {
	doc.Items = slices.DeleteFunc(doc.Items, func(it memfile.Item) bool { return it.Key == key })
}

// liftTombstone takes every tombstone of the key away.
func liftTombstone(doc *memfile.Document, key string) {
	doc.Deletions = slices.DeleteFunc(doc.Deletions, func(t memfile.Tombstone) bool { return contents.Buries(t, key) })
}

// lower sets an item to low, with the tag that low always carries.
func lower(it *memfile.Item) {
	it.Confidence = memfile.Low
	if !it.HasTag(memfile.TagNeedsConfirmation) {
		it.Tags = append(slices.Clone(it.Tags), memfile.TagNeedsConfirmation)
	}
}

// raise sets an item to a confidence above low; the tag goes with it.
func raise(it *memfile.Item, confidence string) {
	it.Confidence = confidence
	it.Tags = slices.DeleteFunc(slices.Clone(it.Tags), func(t string) bool { return t == memfile.TagNeedsConfirmation })
	if len(it.Tags) == 0 {
		it.Tags = nil
	}
}

// level is the rank of a confidence; any other text counts as low.
func level(text string) int { return max(1, confidence.Rank(text)) }

// oneLine is a text for one printed line, cut where it would fill the screen.
func oneLine(v memfile.Value) string {
	return policy.Cut(policy.Inert(v.Plain()), 200)
}

// nearest lists up to three keys of the memory that are most like the text.
func nearest(keys []string, text string) []string {
	text = strings.ToLower(text)
	type near struct {
		key  string
		cost int
	}
	var list []near
	for _, key := range keys {
		cost := distance(strings.ToLower(key), text)
		if cost <= max(2, len(text)/3) || strings.Contains(key, text) {
			list = append(list, near{key, cost})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		if a.cost != b.cost {
			return a.cost - b.cost
		}
		return strings.Compare(a.key, b.key)
	})
	var out []string
	for _, n := range list[:min(len(list), 3)] {
		out = append(out, n.key)
	}
	return out
}

// distance is the Levenshtein distance in bytes, of at most 128 each.
func distance(a, b string) int {
	a, b = a[:min(len(a), memfile.MaxKeyBytes)], b[:min(len(b), memfile.MaxKeyBytes)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// holders lists the stores that hold the key, or the one scope asked for.
func holders(ctx context.Context, ss *store.Stores, key, scope string, has func(*contents.Memory, string) bool) ([]*store.Store, error) {
	memories, err := contents.Readable(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	var list []*store.Store
	for _, m := range memories {
		if has(m, key) {
			list = append(list, m.Store)
		}
	}
	return list, nil
}

func hasItem(m *contents.Memory, key string) bool { return m.Find(key) != nil }

// allKeys lists the keys of all items that can be read and that agents may know of, sorted.
func allKeys(ctx context.Context, ss *store.Stores, scope string) ([]string, error) {
	memories, err := contents.Readable(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, m := range memories {
		for _, it := range m.Items {
			if len(it.Withheld) == 0 || keyForAgent(it.Key, it.Withheld) != "" {
				keys = append(keys, it.Key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// Keys lists the keys of all readable items, sorted, for completion.
func Keys(ctx context.Context, ss *store.Stores) ([]string, error) { return allKeys(ctx, ss, "") }

// notLockedElsewhere refuses to write over a lock from beside it: what shadows
// an item changes what a session is told as much as a change of the item does.
// Errors: a *refusal; a scope that cannot be read.
func notLockedElsewhere(ctx context.Context, ss *store.Stores, scope, key string) error {
	stores, err := storesOf(ctx, ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		locked, err := lockedIn(ctx, st, key)
		if err != nil {
			return err
		}
		if st.Scope != scope && locked {
			return refuse(ruleLocked, "the item is locked in scope "+st.Scope+": only a person writes it in another one", "memctl show "+key)
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
	i := find(kept, key)
	return i >= 0 && kept.Items[i].Locked, nil
}
