package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// FindRequest asks for items as an agent may have them.
type FindRequest struct {
	Patterns []string // keys, or globs of keys; none asks for all
	Scope    string   // "" asks every scope
	Max      int      // at most so many items; 0: no limit
	// Guarded: the items reach the agent without its asking for them, so the
	// project's own take the person's trust.
	Guarded bool
}

// FindResult is what was found: copies that are safe to hand to an agent.
type FindResult struct {
	Schema     int        `json:"schema"`
	Items      []Found    `json:"items"`
	MatchCount int        `json:"match_count"` // of which Items holds the first
	Scopes     []Standing `json:"scopes"`
	Warnings   []string   `json:"warnings"` // scopes that could not be read, or not whole
	Off        string     `json:"-"`        // a sentence, where the person's own switch hides all memory
}

// Found is one item. Key, value, source and tags are harmless plain lines.
type Found struct {
	Key        string        `json:"key"`
	Value      memfile.Value `json:"value"`
	Scope      string        `json:"scope"`
	Confidence string        `json:"confidence"`
	Source     string        `json:"source,omitempty"`
	Day        string        `json:"day,omitempty"`
	Tags       []string      `json:"tags,omitempty"`
	Paths      []string      `json:"paths,omitempty"`
	Commands   []string      `json:"commands,omitempty"`
	Ask        bool          `json:"ask,omitempty"`
	Expires    string        `json:"expires,omitempty"`
	By         string        `json:"by,omitempty"`
	Pinned     bool          `json:"pinned,omitempty"`
	Locked     bool          `json:"locked,omitempty"`
	Conflict   []RivalView   `json:"conflict,omitempty"`
}

// Standing is what a scope holds and whether it may be handed out.
type Standing struct {
	Scope            string `json:"scope"`
	Enabled          bool   `json:"enabled"`
	Trusted          bool   `json:"trusted"`
	ItemCount        int    `json:"item_count"`        // all that is in the file
	WithheldCount    int    `json:"withheld_count"`    // kept from agents by a rule
	BoundCount       int    `json:"-"`                 // of these, by what was forgotten in the project
	ExpiredCount     int    `json:"expired_count"`     //
	UnconfirmedCount int    `json:"unconfirmed_count"` // low, or waiting for confirmation
	ForgottenCount   int    `json:"forgotten_count"`
	UnreviewedCount  int    `json:"unreviewed_count,omitempty"` // left out, because the person trusts only what is reviewed
	WaitingCount     int    `json:"waiting_count"`              // in the queue
	Why              string `json:"why,omitempty"`              // why none of its items is here: disabled or untrusted
}

// Find lists the items that match, by key. It writes nothing but caches, and no
// pattern that matches nothing is an error.
// Errors: a scope that the session does not have.
func Find(ctx context.Context, ss *store.Stores, req FindRequest) (FindResult, error) {
	res := FindResult{Schema: memory.SchemaNumber, Items: []Found{}, Scopes: []Standing{}, Warnings: []string{}}
	scopes := ss.Scopes()
	if req.Scope != "" {
		if _, err := ss.Get(ctx, req.Scope); err != nil {
			return res, err
		}
		scopes = []string{req.Scope}
	}
	v, err := contents.NewView(ctx, ss, req.Guarded)
	if err != nil {
		return res, err
	}
	res.Off = switchedOff(ctx, ss)
	for _, scope := range scopes {
		standing, err := res.gather(ctx, v, scope, req)
		if err != nil {
			res.Warnings = append(res.Warnings, err.Error())
			continue
		}
		if standing != nil {
			res.Scopes = append(res.Scopes, *standing)
		}
	}
	slices.SortStableFunc(res.Items, func(a, b Found) int { return cmp.Compare(a.Key, b.Key) })
	res.MatchCount = len(res.Items)
	if req.Max > 0 && len(res.Items) > req.Max {
		res.Items = res.Items[:req.Max]
	}
	return res, nil
}

// switchedOff says that the person's own switch hides all memory; "" where it does not.
func switchedOff(ctx context.Context, ss *store.Stores) string {
	mine, err := ss.Setting(ctx, store.Enabled)
	if err != nil || mine.On() {
		return ""
	}
	why, command := SwitchedOff(mine)
	return "No memory is shown: " + why + ". The person switches it on with `" + command + "`."
}

// gather adds the items of one scope; nil where it has no memory file.
func (res *FindResult) gather(ctx context.Context, v *contents.View, scope string, req FindRequest) (*Standing, error) {
	m, err := v.Memory(scope)
	if err != nil {
		return nil, err
	}
	s := &Standing{Scope: scope, Enabled: m.Closed&contents.Switches == 0, Trusted: scope != store.Project || m.Store.Stores.Trusted(ctx)}
	if m.Closed&contents.Untrusted != 0 {
		if !m.Store.HasFile() {
			return nil, nil
		}
		s.Enabled, s.Why = m.Closed&contents.Off == 0, session.WhyUntrusted
		return s, nil
	}
	if queue, err := ledger.Queue(m.Store); err == nil {
		s.WaitingCount = len(queue)
	}
	res.Warnings = append(res.Warnings, memory.AwayNote(ctx, m)...)
	if !m.Exists && s.WaitingCount == 0 {
		return nil, nil
	}
	res.Warnings = append(res.Warnings, memory.DamagedNote(m)...)
	s.ItemCount, s.ForgottenCount = len(m.Items), len(m.Deletions)
	if !s.Enabled {
		s.Why = session.WhyDisabled
	}
	matched := map[string]bool{}
	for i := range m.Items {
		it := &m.Items[i]
		s.count(it)
		if why := it.Out() &^ contents.Doubts; why&^contents.Unreviewed != 0 || !selected(req.Patterns, it.Key, matched) {
			continue
		} else if why != 0 {
			s.UnreviewedCount++
			continue
		}
		res.Items = append(res.Items, found(it, scope))
	}
	return s, nil
}

// count notes the item's standing.
func (s *Standing) count(it *contents.Item) {
	switch why := it.Out(); {
	case why&contents.Withheld != 0:
		s.WithheldCount++
		if it.Bound {
			s.BoundCount++
		}
	case why&contents.Outranked != 0: // a person has said what counts
	case why&contents.Expired != 0:
		s.ExpiredCount++
	case why&contents.Doubts != 0:
		s.UnconfirmedCount++
	}
}

func found(it *contents.Item, scope string) Found {
	f := Found{
		Key: session.Defuse(it.Key), Value: harmless(it.Value), Scope: scope, Confidence: confidence.At(memory.Rank(it.Confidence)),
		Source: session.Defuse(it.Source), Day: session.Defuse(it.Day()), Tags: Defused(it.Tags), Paths: Defused(it.Paths),
		Commands: Defused(it.Commands), Ask: it.Ask,
		Expires: it.Expires, By: it.By, Pinned: it.Pinned, Locked: it.Locked,
	}
	for _, r := range it.Conflict {
		f.Conflict = append(f.Conflict, RivalView{
			Value: harmless(r.Value), Added: session.Defuse(r.Added), Source: session.Defuse(r.Source), Confidence: confidence.At(memory.Rank(r.Confidence)), By: session.Defuse(r.By),
			Signals: r.Signals, Seen: session.Defuse(r.Seen),
		})
	}
	return f
}

// Defused is a list of texts as plain lines.
func Defused(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, session.Defuse(s))
	}
	return out
}

// harmless is the value with every text in it made one plain line.
func harmless(v memfile.Value) memfile.Value {
	switch v.Kind {
	case memfile.List:
		list := make([]memfile.Value, len(v.List))
		for i, part := range v.List {
			list[i] = harmless(part)
		}
		v.List = list
	case memfile.Map:
		fields := make([]memfile.Field, len(v.Map))
		for i, f := range v.Map {
			fields[i] = memfile.Field{Name: session.Defuse(f.Name), Value: harmless(f.Value)}
		}
		v.Map = fields
	default:
		v.Text = session.Defuse(v.Text)
	}
	return v
}
