package view

import (
	"math"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Item is the tier of an item of a memory file.
const Item = "item"

// Record is an item, a fact, a note, a summary or a turn as the doors print it.
type Record struct {
	ID           string         `json:"id,omitempty"`    // of an entry
	Key          string         `json:"key,omitempty"`   // of an item
	Value        *memfile.Value `json:"value,omitempty"` // of an item; a secret's is null
	Added        string         `json:"added,omitempty"`
	Updated      string         `json:"updated,omitempty"`
	Tier         string         `json:"tier"` // item, fact, note, summary or turn
	Role         string         `json:"role,omitempty"`
	Scope        string         `json:"scope"`
	Conversation string         `json:"conversation,omitempty"`
	Session      string         `json:"session,omitempty"`
	Created      string         `json:"created_at,omitempty"` // of an entry
	Category     string         `json:"category,omitempty"`
	Text         string         `json:"text,omitempty"` // of an entry; a secret has none
	labels.Labels
	Status   string          `json:"status,omitempty"` // "(unconfirmed)" until somebody confirms it
	Topics   []string        `json:"topics,omitzero"`
	Month    string          `json:"month,omitempty"` // as 2026-10, of the summary that compact keeps of its notes
	Stale    bool            `json:"stale,omitempty"` // a summary that lost lines, or what an anchor points at has changed
	Weight   float64         `json:"weight,omitempty"`
	Anchors  []Anchor        `json:"anchors,omitempty"`
	Path     string          `json:"path,omitempty"` // of an entry, from the store's folder
	Conflict []memfile.Rival `json:"conflict,omitempty"`
	Indexed  bool            `json:"-"` // an entry as the index has it: its scope, tier, id, path, time and text
	*Usage
	contents.Verdict // why agents do not get it
	stored           *txn.Record
	out              contents.Reasons
}

// Unchanged returns the condition that the record stays as it is. Nothing is expected of a secret, nor
// of what an agent sees as withheld.
func (r Record) Unchanged() memory.Condition {
	if r.stored == nil || r.Secret() {
		return memory.Condition{}
	}
	return memory.ConditionOn(r.Scope, r.stored)
}

// Usage is how an entry was used on this machine.
type Usage struct {
	Uses     int     `json:"use_count"`
	Standing float64 `json:"standing"` // how much it counts; 1 for a fact of today that was never used
}

// Anchor is a place in the code that an entry is about.
type Anchor struct {
	Path   string `json:"path"`
	Commit string `json:"commit,omitempty"`
	State  string `json:"state,omitempty"` // fresh, moved, changed, gone or unknown; "" where it was not looked at
	Now    string `json:"now,omitempty"`   // where it stands now, if it moved
	named  bool   // the text names it, and nobody tied it to its lines
}

// Day returns the day on which the text became what it is.
func (r Record) Day() string {
	day, _, _ := strings.Cut(r.Created, "T")
	return max(r.Added, r.Updated, day)
}

// Facts are what the record carries beside its text, confidence and day: marks, who wrote it, uses, labels and tags.
func (r Record) Facts() (facts []string) {
	add := func(on bool, fact string) {
		if on {
			facts = append(facts, fact)
		}
	}
	add(r.Pinned, "pinned")
	add(r.Locked, "locked")
	add(r.Stale, "stale")
	add(r.By != "", r.By)
	add(r.Signals > 1, memory.Count(r.Signals, "signal"))
	if r.Usage != nil {
		add(r.Uses > 0, memory.Count(r.Uses, "use"))
	}
	add(r.Expires != "", "expires "+r.Expires)
	for _, a := range r.Anchors {
		add(!a.named || a.State == contents.AnchorGone, strings.TrimSpace("at "+a.Path+" "+a.State))
	}
	add(len(r.Paths) > 0, "in "+strings.Join(r.Paths, " "))
	add(len(r.Commands) > 0, "at "+strings.Join(r.Commands, ", "))
	add(len(r.When) > 0, "when "+strings.Join(r.When, ", "))
	add(r.Ask, "ask")
	add(len(r.Tags) > 0, "tags "+strings.Join(r.Tags, " "))
	add(len(r.Topics) > 0, "topics "+strings.Join(r.Topics, " "))
	return facts
}

// itemRecord is the item as the doors print it; a secret's value is not shown.
func itemRecord(it contents.Item, scope string) Record {
	r := Record{
		Tier: Item, Key: it.Key, Value: &it.Value, Scope: scope, Added: it.Added, Updated: it.Updated, Labels: it.Labels, Conflict: it.Conflict, Verdict: it.Verdict, Status: it.Doubt(),
		stored: txn.NewRecord(it.Item), out: it.Reasons(),
	}
	r.Tags = append([]string{}, it.Tags...)
	if policy.IsOnlyPurged(it.Value) {
		r.Value = &memfile.Value{} // a mark, and no value
	}
	if it.Secret() {
		r.Key, r.Source, r.Value, r.Conflict = memory.Redacted(r.Key), memory.Redacted(r.Source), &memfile.Value{}, nil
		for i, tag := range r.Tags {
			r.Tags[i] = memory.Redacted(tag)
		}
	}
	return r
}

// EntryRecord is the entry as the doors print it; a secret's text is not shown.
func EntryRecord(e LiveEntry) Record {
	r := Record{
		Tier: e.Tier(), ID: e.ID, Role: e.Role, Scope: e.Scope, Conversation: e.Conversation, Session: e.Session, Created: e.Created, Category: e.Category, Text: e.Text,
		Labels: e.Labels, Topics: append([]string{}, e.Topics...), Month: e.NotesMonth(), Stale: e.Stale, Weight: e.Weight, Path: e.Path,
		Status: e.Doubt(), Usage: &Usage{e.Uses, math.Round(e.Standing*1000) / 1000}, Verdict: e.Verdict, stored: &txn.Record{Labels: &e.Labels, Entry: &e.Entry.Entry, Path: e.Path},
		out: e.Reasons(),
	}
	r.Tags = append([]string{}, e.Tags...)
	if policy.IsOnlyPurged(memfile.Str(e.Text)) {
		r.Text = "" // a mark, and no text
	}
	for _, a := range e.Anchors {
		r.Anchors = append(r.Anchors, Anchor{Path: a.Path, Commit: a.Commit, named: a.Hash == ""})
	}
	if r.Secret() {
		r = Record{
			Tier: r.Tier, ID: memory.Redacted(r.ID), Role: memory.Redacted(r.Role), Scope: r.Scope, Created: memory.Redacted(r.Created), Path: memory.Redacted(r.Path),
			Labels: labels.Labels{Tags: []string{}}, Topics: []string{}, Usage: &Usage{}, Verdict: r.Verdict, out: r.out,
		}
	}
	return r
}

// Correction reports whether the record is what the person said to an agent against a value that they had stated: it is
// outranked, and sessions get both.
func (r Record) Correction() bool {
	_, said := memfile.SaidOn(r.Source, r.By)
	return said && r.Rules() == contents.RuleOutranked
}

// forReader returns the records as a reader may have them. An agent gets only the rules of a withheld item. It gets no withheld
// entry and no entry of another agent, and the texts of other entries as plain lines.
func forReader(who contents.Reader, list []Record) (kept []Record, w memory.Withheld) {
	if who == contents.Person {
		return list, w
	}
	kept = []Record{}
	for _, r := range list {
		if r.Tier != Item && r.out&contents.OtherAgent != 0 {
			continue
		}
		if r.Hidden() {
			w.WithheldCount++
		}
		switch {
		case r.Tier == Item && r.Hidden():
			kept = append(kept, Record{Tier: Item, Key: memory.KeyForAgent(r.Key, r.Verdict), Value: &memfile.Value{}, Scope: r.Scope, Labels: labels.Labels{Tags: []string{}}, Verdict: r.Verdict})
		case r.Tier == Item:
			kept = append(kept, r)
		case !r.Hidden():
			kept = append(kept, r.Harmless())
		}
	}
	return kept, w
}

// Harmless returns the record with each of its texts made plain lines: the text of an entry keeps
// its lines, all others become one.
func (r Record) Harmless() Record {
	for _, s := range []*string{&r.ID, &r.Key, &r.Added, &r.Updated, &r.Created, &r.Category, &r.Role, &r.Conversation, &r.Session, &r.Path} {
		*s = session.Defuse(*s)
	}
	r.Text = strings.Join(defused(strings.Split(r.Text, "\n")), "\n")
	r.Labels, r.Topics, r.Conflict = harmlessLabels(r.Labels), defused(r.Topics), harmlessRivals(r.Conflict)
	if r.Value != nil {
		v := r.Value.Clone()
		defuse(&v)
		r.Value = &v
	}
	return r
}

// harmlessRivals are values with each of their texts made one plain line.
func harmlessRivals(list []memfile.Rival) []memfile.Rival {
	list = slices.Clone(list)
	for i := range list {
		v := &list[i]
		v.Value, v.Added, v.Labels = v.Value.Clone(), session.Defuse(v.Added), harmlessLabels(v.Labels)
		defuse(&v.Value)
	}
	return list
}

// defused is a list of texts as plain lines.
func defused(list []string) []string {
	list = slices.Clone(list)
	for i, s := range list {
		list[i] = session.Defuse(s)
	}
	return list
}

// harmlessLabels are labels with each of their texts made one plain line.
func harmlessLabels(l labels.Labels) labels.Labels {
	l = l.Clone()
	for _, f := range l.Fields() {
		switch at := f.At.(type) {
		case *string:
			*at = session.Defuse(*at)
		case *[]string:
			*at = defused(*at)
		}
	}
	return l
}

// defuse makes every text in a value one plain line.
func defuse(v *memfile.Value) {
	v.Text = session.Defuse(v.Text)
	for i := range v.List {
		defuse(&v.List[i])
	}
	for i := range v.Map {
		v.Map[i].Name = session.Defuse(v.Map[i].Name)
		defuse(&v.Map[i].Value)
	}
}

// TombstoneView is one deletion as the doors print it.
type TombstoneView struct {
	Key              string          `json:"key,omitempty"`
	Removed          string          `json:"removed"`
	Reason           string          `json:"reason"`
	Conflict         []memfile.Rival `json:"conflict,omitempty"` // values that a merge set aside
	contents.Verdict                 // why an agent does not get the key and Conflict
}

// tombstoneView is the tombstone as the doors print it; what the policy refuses of it is redacted. An agent gets its day,
// and a key that is harmless.
func tombstoneView(who contents.Reader, t memfile.Tombstone, st *store.Store) TombstoneView {
	t = t.Formed()
	v := TombstoneView{Key: memory.Redacted(t.Key), Removed: t.Removed}
	for _, r := range t.Conflict {
		if st.Rule(policy.Candidate{Value: r.Value, Raw: true}).Verdict == policy.Accept {
			v.Conflict = append(v.Conflict, r)
		}
	}
	if who == contents.Person {
		v.Reason = memory.Redacted(t.Reason)
		return v
	}
	v.Withheld = st.Rule(policy.Candidate{Key: t.Key, Raw: true}).Rules()
	if len(v.Conflict) > 0 || v.Hidden() {
		v.Withheld = append([]string{memory.RuleForgotten}, v.Withheld...)
	}
	v.Key, v.Conflict = memory.KeyForAgent(v.Key, v.Verdict), nil
	return v
}
