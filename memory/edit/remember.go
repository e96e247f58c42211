package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session/contextfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
)

const (
	ruleCategory = "category"
	ruleAnchor   = "anchor"
	// maxAutomaticWeight is the weight of a fact that has none: what nobody asked
	// for does not come before what somebody did.
	maxAutomaticWeight = 1
)

// prepare makes the entry of the request, and finds the store.
func (r *remembering) prepare() error {
	r.normalise()
	if err := r.check(); err != nil {
		return err
	}
	st, err := r.target(about(r.e), r.e.Text)
	if r.st = st; err != nil {
		return err
	}
	return r.complete()
}

func (r *remembering) name() string { return memory.ShortID(r.e.ID) }

// source is that of the entry.
func (r *remembering) source() string { return r.e.Source }

// remembering is one remember under way.
type remembering struct {
	writing
	e        entry.Entry
	stored   entry.Entry  // what its file says after the write
	known    bool         // it was there before
	restated string       // the text of the fact that says the same in other words
	notes    []fault.Note // for the person
	similar  []string     // what it may replace, as words after --replace
	// forgotten are the tombstones of all scopes; nil if they are not read yet.
	forgotten []*contents.Forgotten
}

func (r *remembering) act() string {
	if r.e.Role == entry.RoleNote {
		return "note"
	}
	if r.e.Role == entry.RoleSummary {
		return "summary"
	}
	return "remember"
}

// own is the act as a command with these words, which a person runs where an agent may not.
func (r *remembering) own(words string) string { return "memctl " + r.act() + " " + r.Asked() + words }

// about is what the entry's key would begin with: what is about the person goes where
// the person's items go.
func about(e entry.Entry) string {
	if e.Category == "personal" {
		return memory.UserPrefix
	}
	return ""
}

func (r *remembering) kind() string {
	if r.e.Role == entry.RoleFact && r.e.Category != "" && r.e.Category != "fact" {
		return r.e.Category
	}
	return r.e.Tier()
}

// normalise makes the entry of the request, as far as no store is needed.
func (r *remembering) normalise() {
	text := entry.CleanText(r.Text)
	mayBeTag := r.importer != nil // another program's word
	if name, rest, ok := entry.Bracketed(text); ok && r.Role == entry.RoleFact && r.importer == nil {
		text = entry.CleanText(rest)
		mayBeTag = r.Category == ""
		r.Category = cmp.Or(r.Category, name)
	}
	if strings.EqualFold(r.Category, entry.TagBootstrap) { // mememory's word for what each session needs
		r.Category, r.Tags = "", append(slices.Clone(r.Tags), entry.TagBootstrap)
	}
	category := entry.CategoryOf(r.Category)
	if mayBeTag && category != "" && !slices.Contains(entry.Categories(), category) {
		category, r.Tags = "", append(slices.Clone(r.Tags), r.Category)
	}
	r.e = entry.Entry{
		ID: r.e.ID, Role: r.Role, Conversation: r.Conversation, Session: r.Session, Category: category,
		Labels: r.Labels, Topics: normalTags(r.Topics), Weight: r.Weight, Text: text,
	}
	said := "" // an id of what has no time is the same each time
	if !r.Created.IsZero() {
		said = entry.Stamp(r.Created)
	}
	if r.e.Created = cmp.Or(said, entry.Stamp(r.ss.Now())); r.importer == nil {
		said = r.e.Created
	}
	r.e.Commands, r.e.When = withoutEmpty(r.Commands), withoutEmpty(r.When)
	r.e.Tags, r.e.Confidence, r.e.Signals, r.e.Seen, r.e.Locked, r.e.By = normalTags(r.Tags), "", 0, "", false, r.Options.By()
	if !r.Explicit() {
		r.e.Source = r.writing.source()
	}
	if agent, _ := r.ss.Setting(r.ctx, store.ContextAgent); r.Automatic() && r.importer == nil && agent.Text != contextfile.Default {
		r.e.Source = memfile.OwnSource(r.e.Source, agent.Text)
	}
	if r.Automatic() {
		r.e.Weight = min(r.e.Weight, maxAutomaticWeight)
	}
	switch {
	case r.e.Role == entry.RoleFact:
		r.e.ID = entry.ContentID(text) // the same fact is the same file on every branch
	case r.e.ID != "":
	case r.e.Role == entry.RoleSummary:
		r.e.ID = entry.SummaryID(said, text)
	case r.e.Tier() == entry.Turn:
		r.e.ID = entry.TimedID(said+"\n"+r.e.Session, text)
	default:
		r.e.ID = entry.TimedID(said, text)
	}
}

// normalTags gives tags and topics our form, each once.
func normalTags(list []string) (out []string) {
	for _, s := range list {
		if s = strings.ToLower(strings.Join(strings.Fields(s), " ")); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// check refuses what no scope would take.
func (r *remembering) check() error {
	switch {
	case r.e.Text == "":
		return memory.Refuse(memory.RuleValue, "there is nothing to remember: the text is empty")
	case r.e.Category != "" && !slices.Contains(entry.Categories(), r.e.Category):
		return memory.Refuse(ruleCategory, memory.Quoted(r.e.Category)+": unknown category (use "+strings.Join(entry.Categories(), ", ")+" or bootstrap)")
	case len(r.e.Text) > entry.MaxTextBytes:
		return memory.Refuse(policy.RuleTooLong, "the text is too long to be a memory")
	case r.e.Weight < 0 || r.e.Weight > 100:
		return memory.Refuse(memory.RuleValue, "a weight must be a number from 0 to 100")
	}
	if r.e.Pinned {
		if err := r.Permit("--pin", memory.StateAbsent, r.own("--pin TEXT")); err != nil {
			return err
		}
	}
	return r.checkLabels()
}

// complete fills in what depends on the store.
func (r *remembering) complete() error {
	if r.e.Tier() == entry.Turn && r.st.Scope == store.Project {
		return memory.Refuse(ruleTurns, "turns of a conversation cannot be stored in a project; use --scope private or --scope user")
	}
	r.e.Conversation = cmp.Or(r.e.Conversation, memory.OwnConversation(r.st.Scope))
	if level := r.first(); r.e.Role == entry.RoleFact {
		r.e.Confidence = labels.ConfidenceAt(r.given(level))
	}
	for _, text := range r.Anchors {
		anchor, err := contents.Anchor(r.ctx, r.ss, r.st, text)
		if err != nil {
			return memory.Refuse(ruleAnchor, err.Error())
		}
		r.e.Anchors = append(r.e.Anchors, anchor)
	}
	return nil
}

// permissible asks the policy, and whether the switches and tombstones allow it.
func (r *remembering) permissible() error {
	if err := r.policy(); err != nil {
		return err
	}
	doc, err := contents.Document(r.ctx, r.st)
	if err == nil {
		err = r.permitted(&doc)
	}
	if err != nil || r.e.Role != entry.RoleFact {
		return err
	}
	asItem := adding{writing: r.writing, derived: true} // compared with the known items, as an item without a key
	asItem.Value = memfile.Str(r.e.Text)
	return asItem.notRepeated()
}

// permitted refuses what the switches or a tombstone forbid to all but a
// person.
func (r *remembering) permitted(doc *memfile.Document) error {
	if r.restores() {
		return nil
	}
	if err := enabledFor(r.ctx, r.ss, r.st.Scope, doc); err != nil {
		return err
	}
	forgotten, err := r.forgotten, error(nil)
	if forgotten == nil {
		forgotten, err = memory.Forgotten(r.ctx, r.ss)
	}
	if err == nil && slices.ContainsFunc(forgotten, func(f *contents.Forgotten) bool { return f.Entry(r.e) }) {
		refusal := memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", r.own("TEXT"))
		refusal.Restore, err = r.name(), refusal
	}
	return err
}

// draft lifts, for a person, the tombstones of the text, and changes the files.
func (r *remembering) draft(d *txn.Draft) error {
	err := r.permitted(d.Document)
	if r.Explicit() {
		err = contents.LiftEntry(r.st, d.Document, r.e)
	}
	if err == nil {
		err = r.files(d)
	}
	d.Keys, d.Subject = []string{r.e.ID}, r.act()+" "
	if r.act() != r.kind() {
		d.Subject += r.kind() + " "
	}
	d.Subject += memory.ShortID(r.e.ID)
	return err
}

// files changes the entry's file, and that of the fact that it takes the place of.
func (r *remembering) files(d *txn.Draft) error {
	r.known, r.restated = false, ""
	facts, err := r.facts()
	if err != nil {
		return err
	}
	name, err := r.place(facts)
	if err != nil {
		return err
	}
	there, err := d.Find(name)
	if err != nil {
		return err
	}
	if err := r.replaced(d, name, facts); err != nil {
		return err
	}
	if there == nil {
		there = txn.EntryRecord(r.e)
	} else if err := r.tellAgain(there.Entry); err != nil {
		return err
	}
	r.stored = *there.Entry
	return d.Put(there)
}

// tellAgain makes of an entry that is there what this telling changes about it.
func (r *remembering) tellAgain(e *entry.Entry) error {
	r.known = true
	act, own := "remember", r.own("TEXT")
	if e.Role == entry.RoleSummary && e.Text != r.e.Text {
		act, own = "summary", "memctl "+r.act()+" --conversation "+shellText(r.e.Conversation)+" TEXT"
	}
	if err := r.Permit(act, memory.StateOf(&e.Labels), own); err != nil {
		return err
	}
	*e = r.withRepeat(*e)
	return nil
}

// answered is the act's object after the write.
func (r *remembering) answered(w memory.Write, out txn.Outcome) (memory.Write, error) {
	w.Key = memory.ShortID(r.e.ID)
	w = w.Outcome(out)
	w.Notes, w.Hints = append(w.Notes, r.notes...), r.similar
	var notes []fault.Note
	if out.Changed && r.e.Tier() == entry.Fact && memory.InDoubt(&r.stored) {
		notes = noteOn("unconfirmed", "{key}", w.Key, "{flag}", memory.ScopeFlag(r.st.Scope))
	}
	if out.Changed {
		notes = append(notes, r.temporaryNotes()...)
	}
	w.Findings = memory.Findings(r.noted)
	switch {
	case r.known && !out.Changed:
		known := r.e.Tier() + " " + w.Key
		if r.restated != "" {
			known += ": " + memory.OneLine(memfile.Str(r.restated))
		}
		w.Notes = append(w.Notes, noteOn("already-stored", "{known}", known)...)
		return w, localstate.NoteUses(r.ctx, r.st, []string{r.e.ID}, r.Wait())
	case out.Changed && out.After.Settings.AnnounceWrites:
		notes = append(elsewhereNotes(r.ctx, r.ss, r.Options, about(r.e), r.st.Scope), notes...)
		saved, text := "Saved: ", r.e.Text
		if r.restated != "" {
			saved, text = "Counted as a repeat: ", r.restated
		}
		w.Saved = saved + r.kind() + " " + w.Key + " = " + memory.OneLine(memfile.Str(text)) + placed(r.st.Scope, memory.UndoHint(out, "forget", w.Key))
	}
	w.Notes = append(w.Notes, r.most(notes)...)
	return w, nil
}

// refused is the act's object for a refusal. The id is made of the text, so it names
// nothing where no such entry is there, and says too much of a secret.
func (r *remembering) refused(w memory.Write, err error) (memory.Write, error) {
	if secret := fault.Find(err, fault.Secret); secret != nil {
		err = memory.Refuse(policy.RuleSecret, secret.Error())
	}
	w, err = w.Refused(err)
	if err == nil && (!r.known || slices.ContainsFunc(w.Findings, func(f memory.Finding) bool { return f.Rule == policy.RuleSecret })) {
		w.Key = ""
	}
	return w, err
}
