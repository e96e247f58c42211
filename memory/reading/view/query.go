package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// ByPerson picks the items that a person set, in Query.By.
const ByPerson = "person"

// Query picks records; "" in a field takes all.
type Query struct {
	Scope, Tag             string
	Tier                   string   // item, fact, note, summary or turn; "" takes all but turns
	Patterns               []string // keys, areas or globs of items
	Confidence, By         string   // of items
	Category, Conversation string   // of entries
	From, To               string   // days of entries
	Anchored               bool     // entries about places in the code, also about files that are gone
}

// Found is what a query found.
type Found struct {
	Records  []Record
	Scopes   []ScopeCounts // these and the following fields are Find's
	Warnings []string      // scopes that could not be read, or not whole
	Off      string        // a sentence, where the person's own switch hides all memory
	Hidden   int           // entries that are withheld
	memory.Withheld
}

// ScopeCounts counts what a scope has, and says whether it may be handed out. Of entries it counts those that stand. What is
// not counted for an agent is left out of its JSON.
type ScopeCounts struct {
	Scope         string         `json:"scope"`
	Enabled       bool           `json:"enabled"`
	Trusted       bool           `json:"trusted"`
	Why           string         `json:"why,omitempty"` // why none of its items is handed out: disabled
	Items         int            `json:"item_count"`    // all that is in the file
	Facts         int            `json:"fact_count"`
	Notes         int            `json:"note_count"`
	Summaries     int            `json:"summary_count"`
	Turns         int            `json:"turn_count"`
	Unconfirmed   int            `json:"unconfirmed_count"` // items and facts that are low or wait for confirmation
	Expired       int            `json:"expired_count"`
	Withheld      int            `json:"withheld_count"`  // by a rule, or by what was forgotten in the project
	Forgotten     int            `json:"forgotten_count"` // tombstones
	Waiting       int            `json:"waiting_count"`   // in the queue
	Deleted       int            `json:"deleted_count,omitempty"`
	Unread        int            `json:"unread_count,omitempty"`
	Bytes         int64          `json:"bytes,omitempty"`
	Oldest        string         `json:"oldest,omitempty"`
	Newest        string         `json:"newest,omitempty"`
	Categories    map[string]int `json:"categories,omitempty"`
	Conversations map[string]int `json:"conversations,omitempty"`

	exists bool // it has a memory file, or an entry
}

// countsOf counts the items of a store as the reader of the View receives them.
func countsOf(ctx context.Context, v *contents.View, st *store.Store) (s ScopeCounts, m *contents.Memory, err error) {
	if m, err = v.Memory(st.Scope); err != nil {
		return s, nil, err
	}
	s = ScopeCounts{Scope: st.Scope, exists: m.Exists, Enabled: m.Closed&contents.Switches == 0, Trusted: st.Scope != store.Project || st.Stores.Trusted(ctx),
		Items: len(m.Items), Forgotten: len(m.Deletions), Categories: map[string]int{}, Conversations: map[string]int{}}
	if queue, err := ledger.Queue(st); err == nil {
		s.Waiting = len(queue)
	}
	if m.Exists && !s.Enabled {
		s.Why = session.WhyDisabled
	}
	for i := range m.Items {
		switch why := m.Items[i].Reasons(); {
		case why&contents.Withheld != 0:
			s.Withheld++
		case why&contents.Outranked != 0: // a person has said what counts
		case why&contents.Expired != 0:
			s.Expired++
		case why&contents.Doubts != 0:
			s.Unconfirmed++
		}
	}
	return s, m, nil
}

// entry counts an entry that stands.
func (s *ScopeCounts) entry(r Record) {
	s.exists = true
	if r.Tier == entry.Fact && r.Confidence == memfile.Low || slices.Contains(r.Tags, memfile.TagNeedsConfirmation) {
		s.Unconfirmed++
	}
	*map[string]*int{entry.Fact: &s.Facts, entry.Note: &s.Notes, entry.Summary: &s.Summaries, entry.Turn: &s.Turns}[r.Tier]++
}

// List lists records as their reader may have them, those of one tier: items in the order of scopes and keys, facts by their
// standing, the pinned ones first, and others in the order of scopes and paths. Errors: a scope that the session does not have;
// an unknown tier or category.
func List(ctx context.Context, ss *store.Stores, who contents.Reader, q Query) (res Found, err error) {
	res.Records = []Record{}
	if err := q.check(); err != nil {
		return res, err
	}
	_, v, err := ReadShown(ctx, ss, q.Scope, who)
	if err != nil {
		return res, err
	}
	stores, err := memory.StoresOf(ctx, ss, q.Scope)
	for _, st := range stores {
		list, err := q.records(ctx, v, st, true)
		if err != nil {
			return res, err
		}
		res.Records = append(res.Records, list...)
	}
	if q.Tier == entry.Fact {
		slices.SortStableFunc(res.Records, func(a, b Record) int {
			if a.Pinned != b.Pinned {
				return map[bool]int{true: -1, false: 1}[a.Pinned]
			}
			return cmp.Or(-cmp.Compare(a.Standing, b.Standing), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
	}
	res.Records, res.Withheld = forReader(who, res.Records)
	return res, err
}

// WithText lists the items and facts that have a text, with or without the label of their area, as their reader may have them. Errors: those of List.
func WithText(ctx context.Context, ss *store.Stores, who contents.Reader, scope, text string) (found []Record, err error) {
	list, err := List(ctx, ss, who, Query{Scope: scope})
	for _, r := range list.Records {
		own := r.Tier == entry.Fact && spelling.SameText(r.Text, text)
		if own || r.Value != nil && (spelling.SameText(r.Value.Plain(), text) || spelling.SameText(session.Unlabelled(r.Key, r.Value.Plain()), text)) {
			found = append(found, r)
		}
	}
	return found, err
}

// Find lists what may be handed to an agent that asks, as copies that are safe: items by key, then entries, the newest first. It
// writes nothing but caches, and no pattern that matches nothing is an error. Errors: a scope that the session does not have; an
// unknown tier or category.
func Find(ctx context.Context, ss *store.Stores, q Query) (Found, error) {
	res := Found{Records: []Record{}, Scopes: []ScopeCounts{}, Warnings: []string{}}
	err := q.check()
	if err == nil {
		_, err = memory.StoresOf(ctx, ss, q.Scope)
	}
	if err != nil {
		return res, err
	}
	v := contents.NewView(ctx, ss, contents.Agent)
	if mine, err := ss.Setting(ctx, store.Enabled); err == nil && !mine.Bool() {
		why, command := SwitchedOff(mine)
		res.Off = "No memory is shown: " + why + ". The person switches it on with `" + command + "`."
	}
	for _, scope := range ss.Scopes() {
		if q.Scope == "" || scope == q.Scope {
			if err := res.add(ctx, ss, v, scope, q); err != nil {
				res.Warnings = append(res.Warnings, err.Error())
			}
		}
	}
	kind := func(r Record) int { return map[bool]int{true: 1}[r.Tier != Item] }
	slices.SortStableFunc(res.Records, func(a, b Record) int {
		return cmp.Or(kind(a)-kind(b), cmp.Compare(a.Key, b.Key), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return res, nil
}

// check refuses an unknown tier or category.
func (q Query) check() error {
	if q.Tier != "" && !slices.Contains([]string{Item, entry.Fact, entry.Note, entry.Summary, entry.Turn}, q.Tier) {
		return &fault.Error{Code: "unknown-tier", Status: 2, Cause: memory.Quoted(q.Tier) + ": unknown tier (use item, fact, note, summary or turn)"}
	}
	if q.Category != "" && !slices.Contains(entry.Categories(), q.Category) {
		return &fault.Error{Code: "no-such-category", Status: 2, Cause: memory.Quoted(q.Category) + ": unknown category (use " + strings.Join(entry.Categories(), ", ") + ")", Hints: []string{"memctl list --tier fact"}}
	}
	return nil
}

// has reports whether records of the tier can be among those that the query picks.
func (q Query) has(tier string) bool {
	if tier == Item {
		return q.Category == "" && !q.Anchored && (q.Tier == "" || q.Tier == Item)
	}
	return len(q.Patterns) == 0 && (q.Tier == tier || q.Tier == "" && tier != entry.Turn) && (q.Category == "" || tier == entry.Fact)
}

// items are the items of a store that the query picks, in the order of its file. It notes in matched which patterns match one.
func (q Query) items(m *contents.Memory, matched map[string]bool) (list []Record) {
	for i := range m.Items {
		it := &m.Items[i]
		if q.has(Item) && selected(q.Patterns, it.Key, matched) && (q.Tag == "" || it.HasTag(q.Tag)) &&
			(q.Confidence == "" || it.Confidence == q.Confidence) && (q.By == "" || cmp.Or(it.By, ByPerson) == q.By) {
			list = append(list, itemRecord(*it, m.Store.Scope))
		}
	}
	return list
}

// records are the records of a store that the query picks: items by key, then live entries. tell says which cannot be read.
func (q Query) records(ctx context.Context, v *contents.View, st *store.Store, tell bool) (list []Record, err error) {
	m, err := v.Memory(st.Scope)
	if err != nil {
		return nil, err
	}
	list = q.items(m, map[string]bool{})
	slices.SortStableFunc(list, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
	if q.Tier == Item || len(q.Patterns) > 0 || !tell && !contents.HasEntries(st) {
		return list, nil
	}
	entries, err := liveEntries(v, st, tell)
	for _, e := range entries {
		day := e.Time().Format(time.DateOnly)
		if q.Anchored && e.Tier() == entry.Fact && len(e.Anchors) == 0 {
			e.Anchors = contents.LostAnchors(ctx, st.Stores, &e.Entry)
		}
		if q.has(e.Tier()) && (q.Category == "" || cmp.Or(e.Category, "fact") == q.Category) && (q.Tag == "" || e.HasTag(q.Tag)) && (q.Conversation == "" || e.Conversation == q.Conversation) &&
			(q.From == "" || q.From <= day && day <= q.To) && (!q.Anchored || len(e.Anchors) > 0 && st.Scope != store.User) {
			list = append(list, listed(ctx, st.Stores, e))
		}
	}
	return list, err
}

// add adds what may be handed out of a scope, and how the scope stands.
func (res *Found) add(ctx context.Context, ss *store.Stores, v *contents.View, scope string, q Query) error {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return err
	}
	s, m, err := countsOf(ctx, v, st)
	if err != nil {
		return err
	}
	if q.has(Item) {
		res.Warnings = slices.Concat(res.Warnings, memory.MissingFileNote(ctx, m), memory.DamagedNote(m))
	}
	list, err := q.records(ctx, v, st, false)
	for _, r := range list {
		switch why := r.out & contents.ForAsking; {
		case why&(contents.Switches|contents.OtherAgent) != 0, r.Tier == Item && why != 0:
		case why&contents.Withheld != 0:
			res.Hidden++
		default:
			if r = r.Harmless(); r.Tier == Item {
				r.Confidence = labels.ConfidenceAt(memory.Rank(r.Confidence))
			} else {
				s.entry(r)
			}
			res.Records = append(res.Records, r)
		}
	}
	if s.exists || s.Waiting > 0 {
		res.Scopes = append(res.Scopes, s)
	}
	return err
}
