package edit

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// prepareItem gives the key and the tags their normal form, and finds the store.
func (c *candidate) prepareItem() error {
	normal, best := memfile.NormalKey(c.Key)
	c.keepOriginal("key", c.Key, normal)
	c.Key = normal
	for i, tag := range c.Tags {
		c.Tags[i] = strings.ToLower(strings.TrimSpace(tag))
		c.keepOriginal("tags", tag, c.Tags[i])
	}
	if err := c.checkItem(best); err != nil {
		return err
	}
	st, err := c.target(c.Key, c.Value.Plain())
	if c.st = st; err != nil || c.typedOn == "" || c.st.Scope != store.Project {
		return err
	}
	// A correction of what a person stated in the project's file stands beside it in their own store: others can write that file.
	if st, it := statedOtherwise(c.ctx, c.ss, c.Key, c.Value); st != nil && st.Scope == store.Project {
		c.corrected = it.Value
		c.st, err = c.ss.Get(c.ctx, memory.SaidScope(c.ss, capture.ScopeOf(c.Key, c.Value.Plain()) == store.User))
	}
	return err
}

// keepOriginal keeps a string as it was typed if it is stored in another form, because the
// policy may not recognise a secret in lower case.
func (c *candidate) keepOriginal(where, came, stored string) {
	if came != stored {
		c.arrived = append(c.arrived, memfile.Text{Where: where, Text: came})
	}
}

// checkItem refuses what no scope would take.
func (c *candidate) checkItem(nearestKey string) error {
	if !memfile.KeyForm(c.Key) {
		hint := ""
		if nearestKey != "" {
			hint = addCommand(nearestKey, c.Value, c.Asked()+c.flags())
		}
		return memory.Refuse(memory.RuleKeyForm, "a key needs two or more parts of letters, digits, - and _, separated by dots, such as writing.tone", hint)
	}
	if err := c.checkLabels(); err != nil {
		return err
	}
	return checkValue(c.Key, c.Value)
}

// value is what the candidate says.
func (c *candidate) value() memfile.Value {
	if c.isItem() {
		return c.Value
	}
	return memfile.Str(c.e.Text)
}

// find returns the record that the write meets, nil for none.
func (c *candidate) find(d *txn.Draft) (*txn.Record, error) {
	if c.Was != "" {
		if err := (RenameRequest{}).change(d, c.Was, c.Key); err != nil {
			return nil, err
		}
		d.Subject = "rename " + memory.Redacted(c.Was) + " to " + c.Key
	}
	if c.isItem() {
		return d.Find(c.Key)
	}
	return c.findEntry(d)
}

// commitAct is the act in the commit.
func (c *candidate) commitAct() string {
	if c.Was != "" {
		return view.ActRename
	}
	return c.act()
}

// keys are the item's keys in the commit.
func (c *candidate) keys() []string {
	if c.Was != "" {
		return []string{memory.Redacted(c.Was), c.Key}
	}
	return []string{c.Key}
}

// fresh is the record as it is stored where there is none. It is called after rule, on which the confidence depends.
func (c *candidate) fresh() *txn.Record {
	if !c.isItem() {
		return txn.EntryRecord(c.e)
	}
	r := txn.NewRecord(memfile.Item{Key: c.Key, Value: c.Value, Added: c.today, Labels: labels.Labels{Source: c.source(), By: c.Options.By()}})
	setLevel(r, c.givenConfidence())
	c.label(r)
	return r
}

// rule asks the policy about every string of the candidate. If the stored item has the same value, its allowances still count.
func (c *candidate) rule(there *txn.Record) error {
	ruling := c.itemRuling
	if !c.isItem() {
		ruling = c.entryRuling
	}
	r, err := ruling(there)
	if err == nil {
		err = ruledOut(r)
	}
	if err != nil {
		return err
	}
	c.doubt, c.noted = r.LowerConfidence, r.Findings
	if c.Role == entry.RoleFact {
		c.e.Confidence = c.givenConfidence()
	}
	return nil
}

func (c *candidate) itemRuling(there *txn.Record) (policy.Ruling, error) {
	about := policy.Candidate{
		Key: c.Key, Value: c.Value, Labels: c.Labels, OtherTexts: c.arrived,
		Message: c.Message, Scope: c.st.Scope, Automatic: !c.Explicit() && !c.chosen, SaidByPerson: c.SaidOn != "" || c.importer != nil && c.importer.Kind == memory.Explicit,
	}
	about.Source, about.Paths, about.Commands = c.source(), withoutEmpty(c.Paths), withoutEmpty(c.Commands)
	if there != nil {
		about.Allow = there.Item.Allow
	}
	r := c.st.Rule(about)
	if c.mayKeep(r) && slices.Contains(r.Rules(), policy.RuleInstruction) {
		// A comment in the file would let the order through for everybody.
		if err := c.st.Accept(c.ctx, contents.AcceptDigest(c.Key, c.Value)); err != nil {
			return r, err
		}
		c.ss.Accepted(c.ctx)
		c.notes = append(c.notes, noteOn("agents-may-have-it", "{key}", c.Key)...)
		r.Verdict = policy.Accept
	} else if c.mayKeep(r) {
		allow := memfile.Allowance{Rule: policy.RulePersonal, Digest: memfile.AllowDigest(c.Value), Why: "kept in review " + c.today}
		about.Allow = append(slices.Clone(about.Allow), allow)
		if again := c.st.Rule(about); again.Verdict == policy.Accept {
			r, c.allow = again, &allow
		}
	}
	return r, nil
}

// shown is a value that memory had before, as an answer names it: an agent that reads the answer gets none that is withheld.
func (c *candidate) shown(v memfile.Value) string {
	memories, err := contents.Readable(c.ctx, c.ss, "")
	for _, m := range memories {
		if it := m.Find(c.Key); it != nil && it.Hidden() {
			return it.Mark()
		}
	}
	if err != nil {
		return "another value"
	}
	return memory.OneLine(v)
}

// announcement is the one line that says what was stored, and to a person what it replaced.
func (c *candidate) announcement(key string, out txn.Outcome) string {
	undo, name := memory.UndoHint(out, "forget", key), key
	if !c.isItem() {
		name = c.kind() + " " + key
	}
	now, value := c.stored.Value(), c.value()
	switch {
	case c.corrected.Kind != memfile.Null:
		return "Not changed yet: " + key + " = " + c.shown(c.corrected) + ", as the person stated. Sessions get both values until the person runs memctl confirm " + key
	case c.met == waits:
		by := ""
		if c.stored.IsStated() {
			by = ", as the person stated"
		}
		return "Not changed yet: " + key + " = " + c.shown(now) + by + ". The new value waits for the person: memctl review" + undo
	case !memfile.Same(now, value):
		return "Counted as a repeat: " + name + " = " + c.shown(now) + undo
	}
	if c.Was != "" {
		return "Renamed " + policy.Inert(memory.Redacted(c.Was)) + " to " + key + " = " + memory.OneLine(value) + placed(c.ctx, c.Options, c.st, undo)
	}
	if i := memory.Find(&out.Before, c.Key); c.isItem() && i >= 0 && c.Explicit() && !memfile.Equal(out.Before.Items[i].Value, value) {
		was := "was: " + memory.Beginning(memory.Redacted(out.Before.Items[i].Value.Plain()))
		if command := memory.UndoCommand(out, "", key); command != "" { // forget would not bring the old value back
			was += "; undo: " + command
		}
		return "Changed: " + key + " = " + memory.OneLine(value) + placed(c.ctx, c.Options, c.st, " ("+was+")")
	}
	return "Saved: " + name + " = " + memory.OneLine(value) + placed(c.ctx, c.Options, c.st, undo)
}
