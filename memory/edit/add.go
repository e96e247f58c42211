package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// answered is the add's object after the write.
func (a *adding) answered(w memory.Write, out txn.Outcome) (memory.Write, error) {
	w = a.withNotes(w.Outcome(out), out)
	w.Findings = memory.Findings(a.noted)
	if out.Changed && out.After.Settings.AnnounceWrites {
		w.Saved = a.announcement(w.Key, out)
	}
	return w, nil
}

// prepare gives the request its normal form, whatever else is wrong, and finds the store.
func (a *adding) prepare() error {
	normal, best := memfile.NormalKey(a.Key)
	a.keepOriginal("key", a.Key, normal)
	a.Key = normal
	for i, tag := range a.Tags {
		a.Tags[i] = strings.ToLower(strings.TrimSpace(tag))
		a.keepOriginal("tags", tag, a.Tags[i])
	}
	if err := a.check(best); err != nil {
		return err
	}
	st, err := a.target(a.Key, a.Value.Plain())
	if a.st = st; err != nil || a.typedOn == "" || a.st.Scope != store.Project {
		return err
	}
	// A correction of what a person stated in the project's file stands beside it in their own store: others can write that file.
	if st, it := statedOtherwise(a.ctx, a.ss, a.Key, a.Value); st != nil && st.Scope == store.Project {
		a.corrected = it.Value
		a.st, err = a.ss.Get(a.ctx, memory.SaidScope(a.ss, capture.ScopeOf(a.Key, a.Value.Plain()) == store.User))
	}
	return err
}

func (a *adding) name() string { return a.Key }

// permissible rules on an agent's write.
func (a *adding) permissible() error {
	if a.Explicit() {
		return nil
	}
	doc, err := contents.Document(a.ctx, a.st)
	if err != nil {
		return err
	}
	trial := *a
	if err := trial.change(&doc); err != nil {
		return err
	}
	return a.notRepeated()
}

// refused is the answer for a refusal.
func (a *adding) refused(w memory.Write, err error) (memory.Write, error) { return w.Refused(err) }

// pending is the add as the queue has it.
func (a *adding) pending() (ledger.Waiting, error) {
	return ledger.Waiting{Act: a.act(), Key: a.Key, Value: a.Value, Labels: a.Labels, NoAsk: a.NoAsk, Acknowledged: a.Acknowledged}, nil
}

// check refuses what no scope would take.
func (req *adding) check(nearestKey string) error {
	if !memfile.KeyForm(req.Key) {
		hint := ""
		if nearestKey != "" {
			hint = addCommand(nearestKey, req.Value, req.Asked())
		}
		return memory.Refuse(memory.RuleKeyForm, "a key needs two or more parts of letters, digits, - and _, separated by dots, such as writing.tone", hint)
	}
	if req.Pinned {
		if err := req.Permit("--pin", memory.StateAbsent, addCommand(req.Key, req.Value, req.Asked()+"--pin ")); err != nil {
			return err
		}
	}
	if err := req.checkLabels(); err != nil {
		return err
	}
	return checkValue(req.Key, req.Value)
}

// adding is the add of an item under way.
type adding struct {
	writing
	inConflict bool // the value went to the item's conflict
	// corrected is the value that a person stated, and that what they said later stands beside.
	corrected memfile.Value
	kept      string             // what of a person's item an agent's write left as it was
	allow     *memfile.Allowance // what goes beside the value
	derived   bool               // the key is made of the value
	named     bool               // the key is the value's label
	arrived   []memfile.Text     // strings that are stored in another form only, as they came
}

func (a *adding) act() string { return "add" }

// keepOriginal keeps a string as it came, where it is stored in another form: in lower case a
// secret does not look like one any more.
func (a *adding) keepOriginal(where, came, stored string) {
	if came != stored {
		a.arrived = append(a.arrived, memfile.Text{Where: where, Text: came})
	}
}

func (a *adding) draft(d *txn.Draft) error {
	d.Keys = []string{a.Key}
	return a.change(d.Document)
}

// change is the whole add on one document: docs/acts.md has the rules of confidence.
func (a *adding) change(doc *memfile.Document) error {
	if err := a.permitted(doc); err != nil {
		return err
	}
	i := merge.Duplicates(doc, a.Key)
	if err := a.rule(doc, i); err != nil {
		return err
	}
	memory.LiftTombstone(doc, a.Key)
	if i < 0 {
		it := memfile.Item{Key: a.Key, Value: a.Value, Added: a.today, Labels: labels.Labels{Source: a.source(), By: a.Options.By()}}
		a.setConfidence(&it, a.first())
		a.extras(&it)
		doc.Items = append(doc.Items, it)
		return nil
	}
	it := &doc.Items[i]
	rivals := len(it.Conflict)
	switch a.Origin.Kind {
	case memory.Explicit:
		a.addStated(it)
	case memory.Relayed:
		a.addRelayed(it)
	default:
		a.addAutomatic(it)
	}
	if n := len(it.Conflict); n > rivals && n > maxRivals {
		name := policy.Inert(memory.Redacted(it.Key)) + memory.ScopeFlag(a.st.Scope)
		return memory.Refuse(ruleTooMany, fmt.Sprintf("the item has %d other values, and an agent adds no more than %d; the person chooses one first", rivals, maxRivals), "memctl review", "memctl confirm "+name)
	}
	return nil
}

// maxRivals is up to how many other values of an item agents add.
const maxRivals = 8

// permitted refuses what the switches, a lock or a tombstone forbid to all but
// an explicit write.
func (a *adding) permitted(doc *memfile.Document) error {
	if a.restores() {
		return nil
	}
	if err := enabledFor(a.ctx, a.ss, a.st.Scope, doc); err != nil {
		return err
	}
	writer := a.Options
	if writer.Explicit() { // a person's import passes on what a file says: it unlocks nothing
		writer.Origin.Kind = memory.Relayed
	}
	if i := memory.Find(doc, a.Key); i >= 0 {
		if err := writer.Permit("add", memory.StateOf(&doc.Items[i].Labels), "memctl unlock "+policy.Inert(memory.Redacted(a.Key))); err != nil {
			return err
		}
	}
	if err := memory.NotLockedElsewhere(a.ctx, a.ss, a.st.Scope, a.Key); err != nil {
		return err
	}
	return a.notForgotten(doc)
}

// rule asks the policy about the candidate. An allowance beside the same
// value still counts.
func (a *adding) rule(doc *memfile.Document, i int) error {
	c := policy.Candidate{
		Key: a.Key, Value: a.Value, Labels: a.Labels, Other: a.arrived,
		Message: a.Message, Scope: a.st.Scope, Automatic: !a.Explicit() && !a.chosen, Said: a.said || a.SaidOn != "",
	}
	c.Source, c.Paths, c.Commands = a.source(), withoutEmpty(a.Paths), withoutEmpty(a.Commands)
	if i >= 0 {
		c.Allow = doc.Items[i].Allow
	}
	r := a.st.Rule(c)
	if a.mayKeep(r) {
		allow := memfile.Allowance{Rule: policy.RulePersonal, Digest: memfile.AllowDigest(a.Value), Why: "kept in review " + a.today}
		c.Allow = append(slices.Clone(c.Allow), allow)
		if again := a.st.Rule(c); again.Verdict == policy.Accept {
			r, a.allow = again, &allow
		}
	}
	if err := ruledOut(r); err != nil {
		return err
	}
	a.doubt, a.noted = r.Lower, r.Findings
	return nil
}

// setConfidence sets what the origin gives.
func (a *adding) setConfidence(it *memfile.Item, text string) {
	n := a.given(text)
	if n == 1 {
		memfile.Lower(&it.Labels)
		return
	}
	memory.Raise(&it.Labels, labels.ConfidenceAt(n))
}

// extras sets the fields that the flags name.
func (a *adding) extras(it *memfile.Item) {
	for _, tag := range a.Tags {
		if tag != "" && !it.HasTag(tag) {
			it.Tags = append(slices.Clone(it.Tags), tag)
		}
	}
	switch {
	case a.Expires != "":
		it.Expires = a.Expires
	case it.Expires <= a.today:
		it.Expires = "" // what is said now holds: with a day that is over no agent would get it
	}
	if a.Pinned {
		it.Pinned = true
	}
	a.setGlobs(&it.Labels)
	if a.allow != nil {
		it.Allow = append(slices.Clone(it.Allow), *a.allow)
	}
}

// addStated is an explicit write to a known key.
func (a *adding) addStated(it *memfile.Item) {
	same := a.says(it.Value)
	news := !memfile.Same(it.Value, a.Value) || ofAgent(it.Labels) || a.Source != "" || it.Source == ""
	if !memfile.Equal(it.Value, a.Value) {
		it.Value, it.Updated = a.Value, a.today
	}
	if !same {
		it.Signals, it.Seen = 0, ""
	}
	if news {
		it.Source = a.source()
	}
	it.By, it.Conflict = "", nil
	a.setConfidence(it, memfile.High)
	a.extras(it)
}

// addRelayed is a write that an agent passes on from the person.
func (a *adding) addRelayed(it *memfile.Item) {
	switch {
	case a.says(it.Value):
		if memory.Rank(it.Confidence) < memory.Rank(memfile.Medium) && !a.doubt && !it.Stated() {
			a.setConfidence(it, memfile.Medium)
			it.By, it.Source = memfile.ByRelayed, a.source()
		}
		if it.By != "" && !memfile.Same(it.Value, a.Value) { // the person's latest words
			it.Value, it.Updated = a.Value, a.today
		}
	case !a.beside(it):
		it.Value, it.Updated, it.Source, it.By = a.Value, a.today, a.source(), memfile.ByRelayed
		it.Signals, it.Seen = 0, ""
		// What is the item's own value now is no rival any more.
		it.Conflict = slices.DeleteFunc(slices.Clone(it.Conflict), func(r memfile.Rival) bool { return a.says(r.Value) })
		a.setConfidence(it, memfile.Medium)
	default:
		a.addRival(it)
		return
	}
	if it.Stated() {
		a.kept = a.unstated(it)
		return
	}
	a.extras(it)
}

// beside reports whether the writer's other value goes beside the item's own.
func (a *adding) beside(it *memfile.Item) bool {
	ruling, _ := memory.Authority("add", a.Origin.Kind, memory.StateOf(&it.Labels))
	return ruling == memory.Beside
}

// addRival puts the value into the item's conflict.
func (a *adding) addRival(it *memfile.Item) {
	a.inConflict = true
	if _, said := memfile.SaidOn(a.source(), a.Options.By()); said {
		a.corrected = it.Value
	}
	rival := memfile.Rival{Value: a.Value, Added: a.today, Labels: labels.Labels{Source: a.source(), Confidence: labels.ConfidenceAt(a.given(memfile.Medium)), By: a.Options.By()}}
	for _, r := range it.Conflict {
		if a.says(r.Value) {
			rival.Value = r.Value // one value stands there once, as it was said first
		}
	}
	it.Conflict = merge.AddRival(it.Conflict, rival)
}

// announcement is the one line that says what was stored, and to a person what it replaced.
func (a *adding) announcement(key string, out txn.Outcome) string {
	undo := memory.UndoHint(out, "forget", key)
	i := memory.Find(&out.After, a.Key)
	switch {
	case a.corrected.Kind != memfile.Null:
		return "Not changed yet: " + key + " = " + memory.OneLine(a.corrected) + ", as the person stated; sessions get both, the new value first, until the person runs memctl confirm " + key
	case a.inConflict && i >= 0:
		by := ""
		if out.After.Items[i].Stated() {
			by = ", as the person stated"
		}
		return "Not changed yet: " + key + " = " + memory.OneLine(out.After.Items[i].Value) + by + "; " + memory.OneLine(a.Value) + " waits for the person: memctl review" + undo
	case i >= 0 && !memfile.Same(out.After.Items[i].Value, a.Value):
		return "Counted as a repeat: " + key + " = " + memory.OneLine(out.After.Items[i].Value) + undo
	}
	if i := memory.Find(&out.Before, a.Key); i >= 0 && a.Explicit() && !memfile.Equal(out.Before.Items[i].Value, a.Value) {
		was := "was: " + memory.Beginning(memory.Redacted(out.Before.Items[i].Value.Plain()))
		if command := memory.UndoCommand(out, "", key); command != "" { // forget would not bring the old value back
			was += "; undo: " + command
		}
		return "Changed: " + key + " = " + memory.OneLine(a.Value) + " (" + was + ")"
	}
	return "Saved: " + key + " = " + memory.OneLine(a.Value) + placed(a.st.Scope, undo)
}

// placed adds to the end of an answer, such as " (undo: memctl undo)", in which scope of the person's own a write is.
func placed(scope, end string) string {
	where := map[string]string{store.User: "in all your repositories", store.Private: "private to this repository"}[scope]
	switch {
	case where == "":
		return end
	case end == "":
		return " (" + where + ")"
	}
	return " (" + where + "; " + strings.TrimPrefix(end, " (")
}
