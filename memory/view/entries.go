package view

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

// EntryView is an entry as the doors print it.
type EntryView struct {
	ID           string       `json:"id"`
	Tier         string       `json:"tier"` // fact, note, summary or turn
	Role         string       `json:"role"`
	Scope        string       `json:"scope"`
	Conversation string       `json:"conversation"`
	Session      string       `json:"session,omitempty"`
	Created      string       `json:"created_at"`
	Category     string       `json:"category,omitempty"`
	Text         string       `json:"text"`
	Tags         []string     `json:"tags"`
	Topics       []string     `json:"topics"`
	Source       string       `json:"source,omitempty"`
	Confidence   string       `json:"confidence,omitempty"`
	By           string       `json:"by,omitempty"`
	Expires      string       `json:"expires,omitempty"`
	Pinned       bool         `json:"pinned,omitempty"`
	Locked       bool         `json:"locked,omitempty"`
	Month        string       `json:"month,omitempty"` // as 2026-10, of the summary that compact keeps of its notes
	Stale        bool         `json:"stale,omitempty"` // a summary that lost lines, or what an anchor points at has changed
	Weight       float64      `json:"weight,omitempty"`
	Signals      int          `json:"signals,omitempty"`
	Anchors      []AnchorView `json:"anchors,omitempty"`
	Path         string       `json:"path"` // from the store's folder
	Uses         int          `json:"use_count"`
	Standing     float64      `json:"standing"`
	Withheld     []string     `json:"withheld,omitempty"` // rules that keep it from agents; a secret's Text is "" then
}

// AnchorView is a place in the code that an entry is about.
type AnchorView struct {
	Path   string `json:"path"`
	Commit string `json:"commit,omitempty"`
	State  string `json:"state,omitempty"` // fresh, moved, changed, gone or unknown; "" where it was not looked at
	Now    string `json:"now,omitempty"`   // where it stands now, if it moved
}

// LiveEntry is an entry that stands: not deleted and not expired. Withheld ones
// are among them, and for an agent the caller leaves those out.
type LiveEntry struct {
	contents.Entry
	Uses     int     // on this machine
	Standing float64 // how much it counts; 1 for a fact of today that was never used
}

// Entries lists the live entries of the scopes, or of the one asked for, in the
// order of scopes and paths. Errors: a scope that the session does not have.
func Entries(ctx context.Context, ss *store.Stores, scope string) ([]LiveEntry, error) {
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	v, err := contents.NewView(ctx, ss, false)
	if err != nil {
		return nil, err
	}
	var list []LiveEntry
	for _, st := range stores {
		all, err := v.AllEntries(st.Scope)
		if err != nil {
			return nil, err
		}
		if fix := contents.LeftOut(ctx, st); fix != "" {
			ss.Talk(LeftOutNote + ": " + fix)
		}
		for _, u := range all.Unread {
			ss.Talk(memory.QuotedPath(u.Path) + ": " + u.Problem.Message + ", so it is not read")
		}
		live, err := WithUses(st, all.Live(ss.Today()), ss.Now())
		if err != nil {
			return nil, err
		}
		list = append(list, live...)
	}
	return list, nil
}

// EntriesAt is Entries for some files of a scope alone.
func EntriesAt(ctx context.Context, ss *store.Stores, scope string, paths []string) ([]LiveEntry, error) {
	v, err := contents.NewView(ctx, ss, false)
	if err != nil {
		return nil, err
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	files := make([]contents.EntryFile, len(paths))
	for i, path := range paths {
		files[i].Path = path
	}
	list, err := v.Entries(scope, files)
	if err != nil {
		return nil, err
	}
	return WithUses(st, (&contents.Entries{List: list}).Live(ss.Today()), ss.Now())
}

// WithUses joins entries with how often they were used, and with their standing.
func WithUses(st *store.Store, entries []contents.Entry, now time.Time) ([]LiveEntry, error) {
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

// NewEntryView is the entry as the doors print it; a secret's text is not shown.
func NewEntryView(e LiveEntry) EntryView {
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
		v = EntryView{ID: memory.Redacted(v.ID), Tier: v.Tier, Role: memory.Redacted(v.Role), Scope: v.Scope, Created: memory.Redacted(v.Created), Tags: []string{}, Topics: []string{}, Path: memory.Redacted(v.Path), Withheld: v.Withheld}
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
		v.Text = strings.Join(defusedList(strings.Split(v.Text, "\n")), "\n")
		for _, s := range []*string{&v.Source, &v.Category, &v.Session, &v.Conversation, &v.Role, &v.ID, &v.Created} {
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

// LeftOutNote says that entries cannot be read; the command that helps follows it.
const LeftOutNote = "note: a sparse checkout leaves facts and notes out of this folder, so they are not read"
