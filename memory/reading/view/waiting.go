package view

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// ReviewResult is what waits for a person.
type ReviewResult struct {
	Waiting []Waiting `json:"waiting"`
	memory.Withheld
}

// Waiting is one thing that waits: from the queue (ID is set) or in the file.
type Waiting struct {
	ID       string          `json:"id,omitempty"` // queue entries only
	Key      string          `json:"key"`
	Tier     string          `json:"tier,omitempty"` // fact, where Key is the beginning of its id
	Scope    string          `json:"scope"`
	Why      string          `json:"why"` // new, proposed, edited, held, deferred, low, needs-confirmation, conflict, outranked
	Rules    []string        `json:"rules,omitempty"`
	Value    memfile.Value   `json:"value"`
	Source   string          `json:"source"`
	Day      string          `json:"day"`
	New      string          `json:"new,omitempty"` // the agent that stored it since the person last looked, or lately
	Conflict []memfile.Rival `json:"conflict,omitempty"`
	Stated   *StatedView     `json:"stated,omitempty"`  // with outranked: the person's value that wins
	Near     *StatedView     `json:"near,omitempty"`    // the closest item, which it may change
	Was      *memfile.Value  `json:"was,omitempty"`     // with edited: the value that the person stated
	Said     string          `json:"said,omitempty"`    // with proposed: the person's sentence
	Session  string          `json:"session,omitempty"` // with proposed: the agent's session in which they said it
	By       string          `json:"-"`                 // "" if the person stated the value
	Choices  []Choice        `json:"choices,omitempty"` // the answers to it
	Options  []Option        `json:"-"`                 // the values between which the person chooses; one if there is no choice
	// Expected are the records that the decision is about, as they are shown.
	Expected []memory.Condition `json:"-"`
	// Before is the revision with the value that a new one of the key replaced, "" for none.
	Before string        `json:"-"`
	Name   string        `json:"-"` // the key, or the path of a fact
	near   string        // the key of Near
	first  *memfile.Item // whose value is the first to choose from
}

// proposed is the reason of a statement that a hook noted: it enters memory where the person
// keeps it.
const proposed = "proposed"

// place puts what agents stored lately first, and proposals last, those about one thing together.
func (w Waiting) place() string {
	switch {
	case w.New != "":
		return "1"
	case w.Why != proposed:
		return "2"
	}
	space, _, _ := strings.Cut(w.Key, ".")
	return "3" + w.Scope + " " + space
}

// StatedView is another value: of the person for the same key, or of another key.
type StatedView struct {
	Key   string        `json:"key,omitempty"` // where it is another one
	Scope string        `json:"scope"`
	Value memfile.Value `json:"value"`
}

// SaidIn reports whether it is a proposal, and one of the list has its text.
func (w Waiting) SaidIn(list []Waiting) bool {
	return w.Why == proposed && slices.ContainsFunc(list, func(other Waiting) bool {
		return memfile.NormalText(other.Value.Plain()) == memfile.NormalText(w.Value.Plain())
	})
}

// Review lists what waits for a person: what agents stored lately, the queue, items and facts in doubt, and items in
// conflict. Of a memory that the policy holds or withholds, an agent gets only the id and the rules.
func Review(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (ReviewResult, error) {
	res := ReviewResult{Waiting: []Waiting{}}
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	// What trust keeps from sessions waits too, but what the person does not trust at all is theirs to see.
	_, v, err := ReadShown(ctx, ss, scope, who.OrHook(ss.Trusted(ctx)))
	if err != nil {
		return res, err
	}
	list, err := WaitingBesideFacts(v, stores)
	if err != nil {
		return res, err
	}
	facts, err := waitingFacts(v, stores)
	res.Waiting = append(append(res.Waiting, list...), facts...) // never nil, for JSON
	res.Waiting = withNews(ctx, v, stores, res.Waiting)
	slices.SortStableFunc(res.Waiting, func(a, b Waiting) int { return cmp.Compare(a.place(), b.place()) })
	all, err := memory.StoresOf(ctx, ss, "") // what it may change is in any scope
	if err != nil {
		return res, err
	}
	for i := range res.Waiting {
		w := &res.Waiting[i]
		w.setNear(v, all)
		if w.setChoices(); who == contents.Person {
			continue
		}
		w.Said = "" // the person's own sentence stays theirs
		w.Key, w.Source, w.Value = session.Defuse(w.Key), session.Defuse(w.Source), w.Value.Clone()
		defuse(&w.Value)
		w.Was = nil
		if w.Near != nil {
			w.Near.Key, w.Near.Value = session.Defuse(w.Near.Key), w.Near.Value.Clone()
			defuse(&w.Near.Value)
		}
		w.Conflict = harmlessRivals(w.Conflict)
		if len(w.Rules) > 0 {
			*w = Waiting{ID: w.ID, Key: memory.KeyForAgent(w.Key, contents.Verdict{Withheld: w.Rules}), Scope: w.Scope, Why: w.Why, Rules: w.Rules, Options: []Option{{}}}
			res.WithheldCount++
		}
	}
	return res, err
}

// setNear finds the item that it may change, where it is the only value, and sessions have that item.
func (w *Waiting) setNear(v *contents.View, stores []*store.Store) {
	for _, st := range stores {
		m, err := v.Memory(st.Scope)
		if w.near == "" || w.near == w.Key || w.Stated != nil || len(w.Conflict) > 0 || err != nil {
			continue
		}
		if it := m.Find(w.near); it != nil && it.Reasons()&^contents.Doubts == 0 && !memfile.Same(it.Value, w.Value) {
			w.Near = &StatedView{Key: it.Key, Scope: st.Scope, Value: it.Value}
			return
		}
	}
}

// WaitingBesideFacts lists what waits for a person in the queues and the memory files. A session's start,
// which opens no fact, adds the number of waiting facts that the index knows. Errors: a queue or a file
// cannot be read; the list has what waits in the others.
func WaitingBesideFacts(v *contents.View, stores []*store.Store) (list []Waiting, err error) {
	for _, st := range stores {
		queue, failed := ledger.Queue(st)
		for _, w := range queue {
			list = append(list, queued(w, st.Scope))
		}
		err = errors.Join(err, failed)
	}
	for _, st := range stores {
		m, failed := v.Memory(st.Scope)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		for _, it := range m.Items {
			if w := waitingItem(v, it, st.Scope); w != nil {
				list = append(list, *w)
			}
		}
		for _, t := range m.Deletions {
			if v := tombstoneView(contents.Person, t, st); t.Key != "" && len(v.Conflict) > 0 {
				last := v.Conflict[len(v.Conflict)-1]
				list = append(list, Waiting{
					Key: v.Key, Scope: st.Scope, Why: WaitsForgotten, Rules: []string{memory.RuleForgotten}, Value: last.Value, Source: last.Source, Day: v.Removed,
				})
			}
		}
	}
	for i := range list {
		list[i].setChoices()
	}
	return list, err
}

// waitingItem is the item as something that waits; nil where it does not.
func waitingItem(v *contents.View, found contents.Item, scope string) *Waiting {
	why := whyWaits(found.InFile())
	if why == "" {
		return nil
	}
	it := found.InFile()
	w := itemRecord(it, scope).asWaiting(why)
	w.first = &it.Item
	if it.Edit != nil {
		w.Before, w.Was = it.Edit.Before, &it.Edit.Was.Value
	}
	if it.Reasons()&contents.Outranked == 0 {
		return &w
	}
	person := v.Person(it.Key)
	if person != nil && !memfile.Same(person.Value, it.Value) {
		w.Why, w.Stated = WaitsOutranked, &StatedView{Scope: person.Scope, Value: person.Value}
		w.first = &person.Item.Item
		w.Expected = append(w.Expected, memory.ConditionOn(person.Scope, txn.NewRecord(person.Item.Item)))
	} else if why == WaitsOutranked {
		return nil // there is nothing to choose
	}
	return &w
}

func queued(w ledger.Waiting, scope string) Waiting {
	why := w.Why
	switch {
	case w.Said != "":
		why = proposed
	case why != memory.Held:
		why = "deferred: " + why
	}
	return Waiting{
		ID: w.ID, Key: w.Key, Scope: scope, Why: why, Rules: w.Rules, Value: w.Value, Source: w.Source,
		Day: cmp.Or(w.SaidOn, w.Since.UTC().Format(time.DateOnly)), Said: w.Said, Session: w.Session, near: w.Near,
	}
}

// whyWaits is why an item waits for a person, "" where it does not.
func whyWaits(it contents.Item) string {
	switch {
	case it.Reasons()&contents.Expired != 0:
		return ""
	case len(it.Conflict) > 0:
		return waitsConflict
	case it.Reasons()&contents.Outranked != 0:
		return WaitsOutranked
	case it.Edit != nil:
		return waitsEdited
	}
	return whyInDoubt(it.Judged, it.Labels, memory.ItemUnconfirmed(&it.Item))
}

// whyInDoubt is why a record without a conflict waits for a person.
func whyInDoubt(j contents.Judged, l labels.Labels, low bool) string {
	switch {
	case j.HiddenBy(contents.RuleWithdrawn):
		return contents.RuleWithdrawn
	case l.HasTag(memfile.TagNeedsConfirmation):
		return memfile.TagNeedsConfirmation
	case low:
		return memfile.Low
	case j.Reasons()&contents.Unreviewed != 0:
		return session.WhyUnreviewed
	}
	return ""
}

// asWaiting is the record as something that waits.
func (r Record) asWaiting(why string) Waiting {
	w := Waiting{Key: r.Key, Scope: r.Scope, Why: why, Rules: r.Verdict.Withheld, Source: r.Source, By: r.By, Day: r.Day(), Conflict: r.Conflict, Expected: []memory.Condition{r.Unchanged()}, Name: cmp.Or(r.Path, r.Key)}
	if r.Tier == Item {
		w.Value = *r.Value
		return w
	}
	w.Key, w.Tier, w.Value = memory.ShortID(r.ID), r.Tier, memfile.Str(r.Text)
	return w
}

// The reasons why something waits for review, beside memory.Held.
const (
	waitsConflict  = "conflict"
	waitsEdited    = "edited"             // another program changed the value that the person stated
	WaitsNew       = "new"                // an agent stored it lately, and sessions have it
	WaitsOutranked = session.WhyOutranked // a person's value in another scope wins
	WaitsForgotten = "set aside"          // a value that a merge kept with its item's tombstone
)

// waitingFacts are the facts that no session starts with until a person confirms them.
func waitingFacts(v *contents.View, stores []*store.Store) ([]Waiting, error) {
	var list []Waiting
	for _, st := range stores {
		all, err := v.AllEntries(st.Scope)
		if err != nil {
			return list, err
		}
		for _, e := range all.Live(st.Stores.Today()) {
			if why := whyFactWaits(&e); why != "" {
				list = append(list, EntryRecord(LiveEntry{Entry: e}).asWaiting(why))
			}
		}
	}
	return list, nil
}

// whyFactWaits is why an entry waits for a person, "" where it does not, or is no fact.
func whyFactWaits(e *contents.Entry) string {
	if e.Tier() != entry.Fact {
		return ""
	}
	return whyInDoubt(e.Judged, e.Labels, !memory.Confirmed(e))
}
