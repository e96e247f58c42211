package edit

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// candidate is an item or an entry on its way into memory.
type candidate struct {
	Request
	ctx   context.Context
	ss    *store.Stores
	st    *store.Store
	today string
	e     entry.Entry // of an entry: its normal form

	importer  *memory.Origin        // who imports it, and Source says all about provenance; nil for what is not imported
	scopes    map[string]string     // of what is imported: where the facts are that memory has, by id
	chosen    bool                  // somebody chose the key of an imported item, or a person imports the file: whether it is worth keeping is not asked
	derived   bool                  // the key is made of the value
	arrived   []memfile.Text        // strings that are stored in another form only, as they came
	forgotten []*contents.Forgotten // the tombstones of all scopes; nil if they are not read yet

	doubt     bool               // about durable: what is automatic stays low
	noted     []policy.Finding   // what the policy remarked and let pass
	allow     *memfile.Allowance // what goes beside the value
	corrected memfile.Value      // the value that a person stated, and that what they said later stands beside
	facts     []contents.Entry   // those that are most like the new one
	path      string             // the entry's file

	stored *txn.Record  // as the draft leaves the record; nil before
	known  bool         // it was there before
	met    meeting      // what became of it then
	kept   string       // what of a person's record an agent's write left as it was
	notes  []fault.Note // for the person
}

// isItem tells items from entries.
func (req Request) isItem() bool { return req.Role == "" }

// act is the name of the act in answers, commits and commands.
func (req Request) act() string {
	switch req.Role {
	case "":
		return "add"
	case entry.RoleNote:
		return "note"
	case entry.RoleSummary:
		return "summary"
	}
	return "remember"
}

// personsCommand is the act as a command, which a person runs where an agent may not.
func (req Request) personsCommand() string {
	flags := req.Asked() + req.flags()
	if req.isItem() {
		return addCommand(req.Key, req.Value, flags)
	}
	return "memctl " + req.act() + " " + flags + "TEXT"
}

// name is the key of an item, and the beginning of an entry's id.
func (c *candidate) name() string {
	if c.isItem() {
		return c.Key
	}
	return memory.ShortID(c.e.ID)
}

// source is the note on provenance of what is stored.
func (c *candidate) source() string {
	if c.isItem() {
		return c.provenance()
	}
	return c.e.Source
}

// prepare gives the request its normal form, whatever else is wrong, and finds the store.
func (c *candidate) prepare() error {
	if c.isItem() {
		return c.prepareItem()
	}
	return c.prepareEntry()
}

// restores reports whether the write may bring back a forgotten memory and replace a locked one: a person's
// own write may, an import may not.
func (c *candidate) restores() bool { return c.Explicit() && c.importer == nil }

// checkUnchanged refuses a queued write whose key has changed, before the store is touched.
func (c *candidate) checkUnchanged() error {
	if c.Queued == nil {
		return nil
	}
	doc, err := document(c.ctx, c.st)
	if err != nil {
		return err
	}
	return c.Queued.current(c.st, doc)
}

// write is the write of the candidate in its store. The key of a queued write is looked at again under the lock.
func (c *candidate) write() txn.Write {
	return txn.Write{Act: c.commitAct(), Source: c.source(), Create: memory.CreatesFile(c.st.Scope), Change: c.Queued.watched(c.st, c.draft)}
}

// checkPolicy says before the store is touched what the switches and the policy say. A person's item is ruled on under the
// lock, beside what is there.
func (c *candidate) checkPolicy() error {
	if c.isItem() && c.Explicit() {
		return nil
	}
	doc, err := contents.Document(c.ctx, c.st)
	if err != nil {
		return err
	}
	if c.isItem() {
		trial := *c
		err = trial.draft(&txn.Draft{Document: &doc, Store: c.st})
	} else if err = c.rule(nil); err == nil {
		err = c.checkAuthority(&doc, nil)
	}
	if err != nil {
		return err
	}
	return c.notRepeated()
}

// checkAuthority refuses what the switches, a lock or a tombstone forbid to all but a person. there is the record that the write
// meets, nil for none.
func (c *candidate) checkAuthority(doc *memfile.Document, there *txn.Record) error {
	if c.restores() {
		return nil
	}
	writer, state, instead := c.Options, memory.StateAbsent, ""
	if writer.Explicit() { // a person's import passes on what a file says: it unlocks nothing
		writer.Origin.Kind = memory.Relayed
	}
	if there != nil {
		state, instead = memory.StateOf(there.Labels), c.instead(there)
	}
	if err := mayWrite(c.ctx, writer, &txn.Draft{Document: doc, Store: c.st}, c.row(there), state, c.Key, instead); err != nil {
		return err
	}
	return c.notForgotten(doc)
}

// row is the act's row in the table of authority.
func (c *candidate) row(there *txn.Record) string {
	switch {
	case c.isItem():
		return "add"
	case c.Role == entry.RoleSummary && there != nil && there.Entry.Text != c.e.Text:
		return "summary"
	}
	return "remember"
}

// instead is what a person does where the record that is there forbids the write.
func (c *candidate) instead(there *txn.Record) string {
	switch {
	case c.isItem():
		return "memctl lock --off " + policy.Inert(memory.Redacted(c.Key))
	case c.row(there) == "summary":
		return "memctl summary --conversation " + shellText(c.e.Conversation) + " TEXT"
	}
	return c.personsCommand()
}

// draft is the whole write on one draft.
func (c *candidate) draft(d *txn.Draft) error {
	there, err := c.find(d)
	if err == nil {
		err = c.checkAuthority(d.Document, there)
	}
	if err == nil && c.isItem() {
		err = c.rule(there)
	}
	if err == nil {
		err = c.removeTombstones(d)
	}
	if err == nil && !c.isItem() {
		err = c.replaced(d)
	}
	if err != nil {
		return err
	}
	fresh := c.fresh()
	if c.known, c.met = there != nil, repeats; !c.known {
		c.stored = fresh
	} else if err := c.meet(fresh, there); err != nil {
		return err
	}
	if c.isItem() {
		d.Keys = c.keys()
	} else {
		d.Keys, d.Subject = []string{c.e.ID}, strings.Join(slices.Compact([]string{c.act(), c.kind(), c.name()}), " ")
	}
	return d.PutRecord(c.stored)
}

// meet makes of the record that is there what the write changes about it.
func (c *candidate) meet(fresh, there *txn.Record) (err error) {
	ruling, _ := memory.Authority(c.row(there), c.Origin.Kind, memory.StateOf(there.Labels))
	n := news{
		Record: fresh, ruling: ruling, origin: c.Origin.Kind, scope: c.st.Scope, today: c.today,
		doubt: c.doubt, sourced: c.Source != "", imported: c.importer != nil,
	}
	if c.met, err = n.meet(there); err != nil {
		return err
	}
	c.stored = there
	switch {
	case c.met == waits:
		if _, said := memfile.SaidOn(c.source(), c.Options.By()); said {
			c.corrected = there.Value()
		}
	case c.Explicit() || !there.IsStated():
		c.label(there)
	case c.Origin.Kind == memory.Relayed:
		c.kept = c.unstated(there)
	}
	return nil
}

// removeTombstones removes the tombstones that a permitted write overrides.
func (c *candidate) removeTombstones(d *txn.Draft) error {
	if c.isItem() {
		memory.LiftTombstone(d.Document, c.Key, c.Value)
		return nil
	}
	if !c.Explicit() {
		return nil
	}
	return contents.LiftEntry(c.st, d.Document, c.e)
}

// label sets the labels that the request names.
func (c *candidate) label(r *txn.Record) {
	l, tags := r.Labels, c.Tags
	if !c.isItem() {
		tags = c.e.Tags
	}
	if c.Exact {
		l.Tags, l.Expires, l.Pinned, l.Paths, l.Commands, l.When, l.Ask = l.Tags[:0:0], "", false, nil, nil, nil, false
	}
	for _, tag := range tags {
		if tag != "" && !l.HasTag(tag) {
			l.Tags = append(slices.Clone(l.Tags), tag)
		}
	}
	switch {
	case c.Expires != "":
		l.Expires = c.Expires
	case l.Expires <= c.today:
		l.Expires = "" // what is said now holds: with a day that is over no agent would get it
	}
	l.Pinned = l.Pinned || c.Pinned
	c.setGlobs(l)
	if !c.isItem() {
		c.labelEntry(r.Entry)
	} else if c.allow != nil {
		r.Item.Allow = append(slices.Clone(r.Item.Allow), *c.allow)
	}
}

// unstated names the fields of a stated item that the write would change although only
// a person may: each can hide the item from every session.
func (c *candidate) unstated(there *txn.Record) string {
	if !c.isItem() {
		return ""
	}
	after := *there.Item
	c.label(&txn.Record{Labels: &after.Labels, Item: &after})
	var fields []string
	if unconfirmed(there) {
		fields = append(fields, "confidence")
	}
	now := after.Fields()
	for i, l := range there.Item.Fields() {
		if l.Text() != now[i].Text() {
			fields = append(fields, strings.Replace(l.Name, "expires", "day of expiry", 1))
		}
	}
	return strings.Join(fields, " and ")
}

// startConfidence returns the confidence that the origin gives to a new memory.
func (c *candidate) startConfidence() (level string) {
	switch {
	case c.Explicit():
		return memfile.High
	case !c.Automatic():
		return memfile.Medium
	}
	return memfile.Low
}

// givenConfidence is what the origin gives, lowered by --confidence, and where the text sounds temporary.
func (c *candidate) givenConfidence() string {
	n := memory.Rank(c.startConfidence())
	if c.Confidence != "" {
		n = min(n, memory.Rank(c.Confidence))
	}
	if c.doubt && !c.Explicit() {
		n = 1
	}
	if c.Temporary() && c.Confidence == "" {
		n = min(n, memory.Rank(memfile.Medium)) // high is for what is unlikely to change soon
	}
	return labels.ConfidenceAt(n)
}

// mayKeep reports whether a person who has seen why the policy holds the candidate may keep it: an
// order always, milder personal data in their own scopes.
func (c *candidate) mayKeep(held policy.Ruling) bool {
	own := c.st.Scope == store.Private || c.st.Scope == store.User
	return held.Verdict == policy.Hold && c.Acknowledged && c.Explicit() && !slices.ContainsFunc(held.Rules(), func(rule string) bool {
		return rule != policy.RuleInstruction && !(own && rule == policy.RulePersonal)
	})
}

// pending is the candidate as the queue has it.
func (c *candidate) pending() (ledger.Waiting, error) {
	q := ledger.Waiting{Act: c.act(), Key: c.name(), Acknowledged: c.Acknowledged}
	if c.isItem() {
		q.Value, q.Labels, q.NoAsk = c.Value, c.Labels, c.NoAsk
		return q, nil
	}
	src, err := entry.Print(c.e)
	q.Value, q.Labels, q.Entry, q.Replace = memfile.Str(c.e.Text), labels.Labels{Source: c.Source, Confidence: c.Confidence}, src, c.Replace
	return q, err
}

// answered is the act's object after the write.
func (c *candidate) answered(w memory.Write, out txn.Outcome) (memory.Write, error) {
	if !c.isItem() {
		w.Key = c.name()
	}
	w = w.Outcome(out)
	w.Notes, w.Findings = append(w.Notes, c.notes...), memory.Findings(c.noted)
	if !c.isItem() && c.known && !out.Changed {
		known := c.e.Tier() + " " + w.Key
		if c.stored != nil && entry.NormalizeText(c.stored.Entry.Text) != entry.NormalizeText(c.e.Text) {
			known += ": " + memory.OneLine(c.stored.Value())
		}
		w.Notes = append(w.Notes, noteOn("already-stored", "{known}", known)...)
		return w, localstate.NoteUses(c.st, []string{c.e.ID})
	}
	w = c.withNotes(w, out)
	if out.Changed && len(w.Hints) == 0 && c.isKeptOffBranch() {
		w.Hints = []string{"memctl move " + w.Key + " --to project"}
	}
	if out.Changed && out.After.Settings.AnnounceWrites {
		w.Saved = c.announcement(w.Key, out)
	}
	return w, nil
}

// nearestMemories are the records that are closest to what was stored. Without an index there are none: the write itself is done.
func (c *candidate) nearestMemories() []memory.Neighbour {
	if !c.Neighbours && c.Explicit() || !c.isItem() && c.Role != entry.RoleFact || c.ss.DryRun() {
		return nil
	}
	list, _ := briefing.FindNearest(c.ctx, c.ss, c.Reader(), strings.NewReplacer(".", " ", "-", " ", "_", " ").Replace(c.Key), c.value().Plain())
	return slices.DeleteFunc(list, func(n memory.Neighbour) bool {
		return n.Scope == c.st.Scope && n.Key+n.ID == c.name() || n.Key != "" && n.Key == c.Key
	})
}

// refused is the act's object for a refusal. It leaves out the id of an entry that is not
// stored or contains a secret, because the id is made of the text.
func (c *candidate) refused(w memory.Write, err error) (memory.Write, error) {
	if c.isItem() {
		return w.Refused(err)
	}
	if secret := fault.Find(err, fault.Secret); secret != nil {
		err = memory.Refuse(policy.RuleSecret, secret.Error())
	}
	w, err = w.Refused(err)
	if err == nil && (!c.known || slices.ContainsFunc(w.Findings, func(f fault.Finding) bool { return f.Rule == policy.RuleSecret })) {
		w.Key = ""
	}
	return w, err
}
