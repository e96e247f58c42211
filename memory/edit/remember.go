package edit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
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

// Remember keeps one fact, note or summary. The same fact again is counted, not
// added; one that is nearly the same is named, with the command that lets this
// one take its place. What the policy holds, and what an automatic write cannot
// commit now, waits in the queue.
func Remember(ctx context.Context, ss *store.Stores, req RememberRequest) (memory.Write, error) {
	if req.Role == entry.RoleFact && req.Replace == "" && !req.Waited {
		add := AddRequest{Options: req.Options, Value: memfile.Str(req.Text), Labels: labels.Labels{Tags: req.Tags, Expires: req.Expires}}
		reply := add.reply(ctx, ss)
		if reply.Stored != nil {
			return add.addReply(ctx, ss, reply) // a fact of the same would be a second copy
		}
		if reply.Day != "" {
			req.SaidOn = reply.Day
		}
	}
	r, w, err := req.begin(ctx, ss)
	if err != nil || r == nil {
		return w, err
	}
	st := r.st
	if r.Explicit() {
		r.notes = append(r.notes, upkeep.CompactedByItself(ctx, ss, st, req.Options)...)
	}
	out, err := req.Update(ctx, st, txn.Write{
		Act: r.act(), Source: r.e.Source, Create: memory.CreatesFile(st.Scope), Files: true, Change: r.draft,
	})
	if err != nil {
		return r.waitOrRefuse(w, err)
	}
	w, err = r.answered(w, out)
	if err == nil && out.Changed && !r.known {
		if due := upkeep.CompactDue(ctx, ss, st, req.Options); due != "" {
			w.Notes = append(w.Notes, due)
		}
	}
	return w, err
}

// begin rules on the remember before the store is touched. Where it ends here, r is nil and the
// answer is complete.
func (req RememberRequest) begin(ctx context.Context, ss *store.Stores) (r *remembering, w memory.Write, err error) {
	r, err = req.remembering(ctx, ss)
	w = req.Answer(r.act(), memory.ShortID(r.e.ID), req.Scope)
	if r.st != nil {
		w.Scope = r.st.Scope
	}
	if err != nil {
		w, err = r.refused(w, err)
		return nil, w, err
	}
	if err := r.rule(); err != nil {
		w, err = r.waitOrRefuse(w, err)
		return nil, w, err
	}
	return r, w, nil
}

// remembering begins the remember; r.st is nil where there is no store for it.
func (req RememberRequest) remembering(ctx context.Context, ss *store.Stores) (r *remembering, err error) {
	r = &remembering{RememberRequest: req, ctx: ctx, ss: ss}
	r.normalise()
	if err := r.check(); err != nil {
		return r, err
	}
	if r.st, err = memory.Target(ctx, ss, r.about(), r.e.Text, req.Options); err != nil {
		return r, err
	}
	return r, r.complete()
}

// remembering is one remember under way.
type remembering struct {
	RememberRequest
	ctx      context.Context
	ss       *store.Stores
	st       *store.Store
	e        entry.Entry
	stored   entry.Entry // what its file says after the write
	doubt    bool        // about durable: an automatic entry stays low
	noted    []policy.Finding
	known    bool     // it was there before
	restated string   // the text of the fact that says the same in other words
	notes    []string // for the person
	similar  []string // what it may replace, as words after --replace
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

// about is what the entry's key would begin with: what is about the person goes where
// the person's items go.
func (r *remembering) about() string {
	if r.e.Category == "personal" {
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

func (r *remembering) subject() string {
	if r.act() == r.kind() {
		return r.act() + " " + memory.ShortID(r.e.ID)
	}
	return r.act() + " " + r.kind() + " " + memory.ShortID(r.e.ID)
}

// normalise makes the entry of the request, as far as no store is needed.
func (r *remembering) normalise() {
	text := entry.CleanText(r.Text)
	if name, rest, ok := entry.Bracketed(text); ok && r.Role == entry.RoleFact {
		text = entry.CleanText(rest)
		r.Category = cmp.Or(r.Category, name)
	}
	if strings.EqualFold(r.Category, entry.TagBootstrap) { // mememory's word for what each session needs
		r.Category, r.Tags = "", append(slices.Clone(r.Tags), entry.TagBootstrap)
	}
	r.Category = entry.CategoryOf(r.Category)
	made := r.Created
	if made.IsZero() {
		made = r.ss.Now()
	}
	lowered := func(list []string) []string {
		var out []string
		for _, s := range list {
			if s = strings.ToLower(strings.Join(strings.Fields(s), " ")); s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
	r.e = entry.Entry{
		Role: r.Role, Conversation: r.Conversation, Session: r.Session, Created: entry.Stamp(made), Category: r.Category,
		Labels: r.Labels, Topics: lowered(r.Topics), Weight: r.Weight, Text: text,
	}
	r.e.Tags, r.e.Confidence, r.e.Signals, r.e.Seen, r.e.Locked, r.e.By = lowered(r.Tags), "", 0, "", false, r.Options.By()
	if !r.Explicit() {
		r.e.Source = (&adding{AddRequest: AddRequest{Options: r.Options, Labels: r.Labels, Repeated: r.Repeated}}).source()
	}
	if r.Automatic() {
		r.e.Weight = min(r.e.Weight, maxAutomaticWeight)
	}
	switch r.e.Role {
	case entry.RoleNote:
		r.e.ID = entry.TimedID(r.e.Created, text)
	case entry.RoleSummary:
		r.e.ID = entry.SummaryID(r.e.Created, text)
	default:
		r.e.ID = entry.ContentID(text)
	}
}

// check refuses what no scope would take.
func (r *remembering) check() error {
	switch {
	case r.e.Text == "":
		return memory.Refuse(memory.RuleValue, "there is nothing to remember: the text is empty")
	case len(r.e.Text) > entry.MaxTextBytes:
		return memory.Refuse(policy.RuleTooLong, "the text is too long to be a memory")
	case r.e.Category != "" && !slices.Contains(entry.Categories(), r.e.Category):
		return memory.Refuse(ruleCategory, memory.Quoted(r.e.Category)+": unknown category (use "+strings.Join(entry.Categories(), ", ")+" or bootstrap)")
	case r.e.Pinned && !r.Explicit():
		return memory.Refuse(memory.RuleExplicitOnly, "only a person can pin an entry", memory.Facts{Names: []string{r.Asked() + "--pin TEXT"}})
	case r.e.Weight < 0 || r.e.Weight > 100:
		return memory.Refuse(memory.RuleValue, "a weight must be a number from 0 to 100")
	}
	return checkLabels(r.Labels)
}

// complete fills in what depends on the store.
func (r *remembering) complete() error {
	if r.e.Conversation == "" {
		r.e.Conversation = entry.ProjectConversation
		if r.st.Scope == store.User {
			r.e.Conversation = entry.GlobalConversation
		}
	}
	a := adding{AddRequest: AddRequest{Options: r.Options, Labels: r.Labels}}
	given := map[string]string{memory.Explicit: memfile.High, memory.Relayed: memfile.Medium}[r.Origin.Kind]
	if given == "" {
		given = memfile.Low
		if r.Repeated {
			given, r.e.Signals, r.e.Seen = memfile.Medium, 2, r.ss.Today()
		}
	}
	if r.Temporary() && r.Confidence == "" {
		given = memfile.Medium
	}
	if r.e.Role == entry.RoleFact {
		r.e.Confidence = confidence.At(a.given(given))
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

// rule asks the policy, and whether the switches and tombstones allow it.
func (r *remembering) rule() error {
	if err := r.policy(); err != nil {
		return err
	}
	doc, err := contents.Document(r.ctx, r.st)
	if err != nil {
		return err
	}
	return r.permitted(&doc)
}

// permitted refuses what the switches or a tombstone forbid to all but a
// person.
func (r *remembering) permitted(doc *memfile.Document) error {
	if r.Explicit() {
		return nil
	}
	if err := enabledFor(r.ctx, r.ss, r.st.Scope, doc); err != nil {
		return err
	}
	stores, err := memory.StoresOf(r.ctx, r.ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		forgotten, err := contents.ReadForgotten(r.ctx, st)
		if err != nil {
			return err
		}
		if forgotten.Entry(r.e) {
			return memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", memory.Facts{Names: []string{r.Asked() + "TEXT"}})
		}
	}
	return nil
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
	d.Keys, d.Subject = []string{r.e.ID}, r.subject()
	return err
}

// files changes the entry's file, and that of the fact that it takes the place of.
func (r *remembering) files(d *txn.Draft) error {
	r.known, r.restated = false, ""
	facts, err := r.facts()
	if err != nil {
		return err
	}
	name, err := r.place(r.sameFact(facts))
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
	if e.Locked && !r.Explicit() {
		return memory.Refuse(memory.RuleLocked, "the entry is locked: only a person can change it")
	}
	persons := e.Stated() && !r.Explicit() || e.By != memfile.ByAutomatic && r.Automatic()
	if persons && e.Role == entry.RoleSummary && e.Text != r.e.Text {
		return memory.Refuse(memory.RuleExplicitOnly, "a person stated the summary of this conversation; only a person can replace it", memory.Facts{Names: []string{"--conversation", shellText(r.e.Conversation), "TEXT"}})
	}
	*e = r.again(*e)
	return nil
}

// answered is the act's object after the write.
func (r *remembering) answered(w memory.Write, out txn.Outcome) (memory.Write, error) {
	w.Key = memory.ShortID(r.e.ID)
	w = w.Outcome(out)
	w.Notes, w.Facts = append(w.Notes, r.notes...), memory.Facts{Code: "similar", Names: r.similar}
	if out.Changed && r.e.Tier() == entry.Fact && memory.InDoubt(&r.stored) {
		w.Notes = append(w.Notes, waitsNote(w.Key, r.st.Scope))
	}
	if out.Changed && r.Temporary() {
		w.Notes = append(w.Notes, temporaryNote(r.Confidence))
	}
	w.Findings = memory.Findings(r.noted)
	switch {
	case r.known && !out.Changed:
		w.Notes = append(w.Notes, "it is remembered already, as "+r.e.Tier()+" "+w.Key+r.inOtherWords())
		return w, localstate.NoteUses(r.ctx, r.st, []string{r.e.ID}, r.Wait())
	case out.Changed && out.After.Settings.AnnounceWrites:
		if over := r.overBudget(); over != "" {
			w.Notes = append(w.Notes, over)
		}
		w.Notes = append(whereTo(r.ctx, r.ss, r.Options, r.about(), r.st.Scope), w.Notes...)
		saved, text := "Saved: ", r.e.Text
		if r.restated != "" {
			saved, text = "Counted as a repeat: ", r.restated
		}
		w.Saved = saved + r.kind() + " " + w.Key + " = " + memory.OneLine(memfile.Str(text)) + memory.UndoHint(out, "forget", w.Key)
	}
	return w, nil
}

// waitOrRefuse answers for an entry that did not get in.
func (r *remembering) waitOrRefuse(w memory.Write, err error) (memory.Write, error) {
	var held *heldError
	secret := fault.Find(err, fault.Secret)
	switch {
	case errors.As(err, &held):
		return r.queue(w, memory.Held, held.findings)
	case fault.Is(err, fault.Deferred):
		return r.queue(w, fault.Why(err, fault.Deferred), nil)
	case secret != nil:
		err = memory.Refuse(policy.RuleSecret, secret.Error())
	}
	return r.refused(w, err)
}

// refused is the act's object for a refusal. The id is made of the text, so it names
// nothing where no such entry is there, and says too much of a secret.
func (r *remembering) refused(w memory.Write, err error) (memory.Write, error) {
	w, err = w.Refused(err)
	if err == nil && (!r.known || slices.ContainsFunc(w.Findings, func(f memory.Finding) bool { return f.Rule == policy.RuleSecret })) {
		w.Key = ""
	}
	return w, err
}
