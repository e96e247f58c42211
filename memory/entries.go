package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

// LiveEntry is an entry that stands: not deleted and not expired. Withheld ones
// are among them, and for an agent the caller leaves those out.
type LiveEntry struct {
	contents.Entry
	Uses     int     // on this machine
	Standing float64 // how much it counts; 1 for a fact of today that was never used
}

// LeftOutNote says that entries cannot be read; the command that helps follows it.
const LeftOutNote = "note: a sparse checkout leaves facts and notes out of this folder, so they are not read"

// Entries lists the live entries of the scopes, or of the one asked for, in the
// order of scopes and paths. Errors: a scope that the session does not have.
func Entries(ctx context.Context, ss *store.Stores, scope string) ([]LiveEntry, error) {
	stores, err := storesOf(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	var list []LiveEntry
	bound := bindings(ctx, ss, false)
	for _, st := range stores {
		all, err := contents.ReadAllEntries(ctx, st)
		if err != nil {
			return nil, err
		}
		if fix := contents.LeftOut(ctx, st); fix != "" {
			ss.Talk(LeftOutNote + ": " + fix)
		}
		for _, u := range all.Unread {
			ss.Talk(quotedPath(u.Path) + ": " + u.Problem.Message + ", so it is not read")
		}
		standing := all.Live(ss.Today())
		if err := bound.entries(standing); err != nil {
			return nil, err
		}
		live, err := withUses(st, standing, ss.Now())
		if err != nil {
			return nil, err
		}
		list = append(list, live...)
	}
	return list, nil
}

// storesOf are the stores of all scopes, or of the one asked for.
func storesOf(ctx context.Context, ss *store.Stores, scope string) ([]*store.Store, error) {
	scopes := ss.Scopes()
	if scope != "" {
		scopes = []string{scope}
	}
	var list []*store.Store
	for _, name := range scopes {
		st, err := ss.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, st)
	}
	return list, nil
}

func withUses(st *store.Store, entries []contents.Entry, now time.Time) ([]LiveEntry, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	uses, err := localstate.Uses(st)
	if err != nil {
		return nil, err
	}
	list := make([]LiveEntry, len(entries))
	for i, e := range entries {
		use := uses[e.ID]
		list[i] = LiveEntry{Entry: e, Uses: use.Count, Standing: standing(e.Entry, use, now)}
	}
	return list, nil
}

// standing is (1+ln(1+uses))·exp(−days·ln2/30): a month without use halves it.
// Each telling after the first counts as a use.
func standing(e entry.Entry, use localstate.Use, now time.Time) float64 {
	last := e.Time()
	if seen, ok := entry.ParseTime(e.Seen); ok && seen.After(last) {
		last = seen
	}
	if use.Last.After(last) {
		last = use.Last
	}
	days := 0.0
	if !last.IsZero() {
		days = max(now.Sub(last).Hours()/24, 0)
	}
	return (1 + math.Log(1+float64(use.Count+max(e.Signals-1, 0)))) * math.Exp(-days*math.Ln2/30)
}

// shortID is the beginning of an id, as it is printed and can be given back.
func shortID(id string) string {
	return entry.ShortID(redacted(entry.FormedID(id)))
}

func entryView(e LiveEntry) EntryView {
	v := EntryView{
		ID: e.ID, Tier: e.Tier(), Role: e.Role, Scope: e.Scope, Conversation: e.Conversation, Session: e.Session, Created: e.Created,
		Category: e.Category, Text: e.Text, Tags: e.Tags, Topics: e.Topics, Source: e.Source, Confidence: e.Confidence, By: e.By,
		Expires: e.Expires, Pinned: e.Pinned, Locked: e.Locked, Stale: e.Stale, Weight: e.Weight, Signals: e.Signals, Path: e.Path, Month: e.NotesMonth(),
		Uses: e.Uses, Standing: math.Round(e.Standing*1000) / 1000, Withheld: e.Withheld,
	}
	if policy.OnlyGone(memfile.Str(e.Text)) {
		v.Text = "" // a mark, and no text
	}
	if v.Tags == nil {
		v.Tags = []string{}
	}
	if v.Topics == nil {
		v.Topics = []string{}
	}
	for _, a := range e.Anchors {
		v.Anchors = append(v.Anchors, AnchorView{Path: a.Path, Commit: a.Commit})
	}
	if slices.Contains(v.Withheld, policy.RuleSecret) {
		v = EntryView{ID: redacted(v.ID), Tier: v.Tier, Role: redacted(v.Role), Scope: v.Scope, Created: redacted(v.Created), Tags: []string{}, Topics: []string{}, Path: redacted(v.Path), Withheld: v.Withheld}
	}
	return v
}

// forAgent is a list of entries without what is withheld, as plain lines; it
// returns how many are left out.
func forAgent(list []EntryView) (kept []EntryView, hidden int) {
	kept = []EntryView{}
	for _, v := range list {
		if len(v.Withheld) > 0 {
			hidden++
			continue
		}
		for _, s := range []*string{&v.Text, &v.Source, &v.Category, &v.Session, &v.Conversation, &v.Role, &v.ID, &v.Created} {
			*s = session.Defuse(*s)
		}
		v.Tags, v.Topics = defusedList(v.Tags), defusedList(v.Topics)
		kept = append(kept, v)
	}
	return kept, hidden
}

func defusedList(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = session.Defuse(s)
	}
	return out
}

// ForAgent leaves out what is withheld from agents and makes the rest harmless.
func (r *FactsResult) ForAgent() (hidden int) { r.Facts, hidden = forAgent(r.Facts); return hidden }

// ForAgent leaves out what is withheld from agents and makes the rest harmless.
func (r *NotesResult) ForAgent() (hidden int) { r.Notes, hidden = forAgent(r.Notes); return hidden }

// ForAgent leaves out what is withheld from agents and makes the rest harmless.
func (r *SummaryResult) ForAgent() (hidden int) {
	r.Summaries, hidden = forAgent(r.Summaries)
	return hidden
}

// ForAgent leaves out what is withheld from agents and makes the rest harmless.
func (r *StaleResult) ForAgent() (hidden int) { r.Entries, hidden = forAgent(r.Entries); return hidden }

// ForAgent leaves out what is withheld from agents and makes the rest harmless.
func (r *StatsResult) ForAgent() (hidden int) {
	r.Patterns.MostUsed, hidden = forAgent(r.Patterns.MostUsed)
	return hidden
}

// Facts lists facts, the highest standing first; pinned ones before all.
func Facts(ctx context.Context, ss *store.Stores, req FactsRequest) (FactsResult, error) {
	res := FactsResult{Schema: SchemaNumber, Facts: []EntryView{}}
	if req.Category != "" && !slices.Contains(entry.Categories(), req.Category) {
		return res, unknownCategory(req.Category)
	}
	sayAway(ctx, ss, req.Scope)
	list, err := Entries(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, e := range list {
		if e.Tier() == entry.Fact && (req.Category == "" || cmp.Or(e.Category, "fact") == req.Category) &&
			(req.Tag == "" || slices.Contains(e.Tags, req.Tag)) && (req.Conversation == "" || e.Conversation == req.Conversation) {
			res.Facts = append(res.Facts, listed(ss, e))
		}
	}
	slices.SortStableFunc(res.Facts, func(a, b EntryView) int {
		if a.Pinned != b.Pinned {
			return map[bool]int{true: -1, false: 1}[a.Pinned]
		}
		return cmp.Or(-cmp.Compare(a.Standing, b.Standing), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return res, nil
}

func unknownCategory(category string) error {
	return &Error{Code: "no-such-category", Status: 2, Message: quoted(category) + ": is no category: " + strings.Join(entry.Categories(), ", "), Hints: []string{"memctl facts"}}
}

// Notes lists the notes of a day: today, yesterday, a day such as 2026-11-21, or
// of the week that ends today.
func Notes(ctx context.Context, ss *store.Stores, scope, when string) (NotesResult, error) {
	res := NotesResult{Schema: SchemaNumber, Notes: []EntryView{}}
	var err error
	if res.From, res.To, err = daysOf(ss, when); err != nil {
		return res, err
	}
	sayAway(ctx, ss, scope)
	list, err := Entries(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, e := range list {
		switch made := e.Time().Format(time.DateOnly); {
		case e.Tier() == entry.Note && made >= res.From && made <= res.To:
			res.Notes = append(res.Notes, listed(ss, e))
		case len(e.Withheld) == 0 && holdsNotes(e.Entry.Entry, res.From, res.To):
			if name := session.Defuse(e.Conversation); !slices.Contains(res.Folded, name) {
				res.Folded = append(res.Folded, name)
			}
		}
	}
	slices.SortStableFunc(res.Notes, func(a, b EntryView) int { return cmp.Compare(a.Created, b.Created) })
	return res, nil
}

// daysOf are the first and the last day that a word or a day names; "" is today.
func daysOf(ss *store.Stores, when string) (from, to string, err error) {
	today := ss.Now().UTC()
	day := func(back int) string { return today.AddDate(0, 0, -back).Format(time.DateOnly) }
	switch when {
	case "", "today":
		return day(0), day(0), nil
	case "yesterday":
		return day(1), day(1), nil
	case "week":
		return day(6), day(0), nil
	}
	if _, err := time.Parse(time.DateOnly, when); err != nil {
		return "", "", &Error{Code: "no-such-day", Status: 2, Message: quoted(when) + ": is no day: today, yesterday, week, or a day such as 2026-11-21", Hints: []string{"memctl notes week"}}
	}
	return when, when, nil
}

// holdsNotes reports whether a month's summary has a note of these days.
func holdsNotes(e entry.Entry, from, to string) bool {
	month := e.NotesMonth()
	if month == "" || month < from[:len(month)] || month > to[:len(month)] {
		return false
	}
	for line := range strings.Lines(e.Text) {
		if day, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok && day >= from && day <= to {
			return true
		}
	}
	return false
}
