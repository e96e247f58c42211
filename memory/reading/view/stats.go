package view

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Stats counts what there is, and how it was used on this machine, for which it reads the whole journal.
func Stats(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (StatsResult, error) {
	res, err := BriefStats(ctx, ss, who, scope)
	if err != nil {
		return res, err
	}
	err = res.Patterns.countLocalUse(ctx, ss)
	if who != contents.Person {
		defuseCommands(res.Patterns.Ran, res.Patterns.Errors)
	}
	return res, err
}

// BriefStats is Stats that knows of the patterns only what was used most.
func BriefStats(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (StatsResult, error) {
	res := StatsResult{Scopes: []ScopeCounts{}, Patterns: Patterns{ByAct: map[string]int{}, ByAgent: map[string]int{}, MostUsed: []Record{}, Ran: []localstate.CommandRun{}, Errors: []localstate.CommandEnd{}}}
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	memory.WarnMissingFile(ctx, ss, scope)
	v := contents.NewView(ctx, ss, contents.Person)
	var used []LiveEntry
	for _, st := range stores {
		s, live, err := scopeCounts(ctx, v, st)
		if err != nil {
			return res, err
		}
		if s != nil {
			res.Scopes = append(res.Scopes, *s)
		}
		used = append(used, live...)
	}
	used = slices.DeleteFunc(used, func(e LiveEntry) bool { return e.Uses == 0 })
	slices.SortStableFunc(used, func(a, b LiveEntry) int { return b.Uses - a.Uses })
	for _, e := range used[:min(len(used), 5)] {
		res.Patterns.MostUsed = append(res.Patterns.MostUsed, listed(ctx, ss, e))
	}
	res.Patterns.MostUsed, res.Withheld = forReader(who, res.Patterns.MostUsed)
	if ss.HasModels(ctx) {
		u, err := localstate.UseOfModels(ctx, ss)
		if err != nil {
			return res, err
		}
		res.Models = &ModelStats{u.Day, u.Calls, u.Tokens, u.MaxTokens, u.Failures}
	}
	return res, nil
}

// countLocalUse counts the acts of this worktree that are not undone.
func (p *Patterns) countLocalUse(ctx context.Context, ss *store.Stores) error {
	acts, err := ledger.Acts(ctx, ss, ledger.All)
	days := map[string]bool{}
	for _, a := range acts {
		p.Acts++
		p.ByAct[policy.Inert(a.Act)]++
		p.ByHour[a.Time.UTC().Hour()]++
		days[a.Time.UTC().Format(time.DateOnly)] = true
	}
	p.Days = len(days)
	if err != nil {
		return err
	}
	return errors.Join(p.sessions(ss), p.days(ss))
}

// sessions tells how long agents' sessions last, and when they begin: from the
// first event of each to its last.
func (p *Patterns) sessions(ss *store.Stores) error {
	records, err := localstate.SessionRecords(ss, "")
	if err != nil {
		return err
	}
	first, last := map[[2]string]time.Time{}, map[[2]string]time.Time{}
	for _, r := range records {
		if slices.ContainsFunc(r.Given, func(g localstate.Given) bool { return g.Found }) && ss.Now().Sub(r.Time) < 7*24*time.Hour {
			p.Told++
		}
		if r.Session == "" {
			continue
		}
		name := [2]string{r.Agent, r.Session}
		if _, known := first[name]; !known {
			first[name] = r.Time
			p.ByAgent[session.Defuse(r.Agent)]++
			p.SessionHours[r.Time.UTC().Hour()]++
		}
		last[name] = r.Time
	}
	var seconds []int
	for name, begun := range first {
		seconds = append(seconds, int(max(last[name].Sub(begun), 0).Seconds()))
	}
	slices.Sort(seconds)
	if p.Sessions = len(seconds); p.Sessions > 0 {
		p.MedianSeconds, p.LongSeconds = seconds[len(seconds)/2], seconds[len(seconds)-1]
	}
	return nil
}

// scopeCounts counts one store with its entries; nil where it holds nothing.
func scopeCounts(ctx context.Context, v *contents.View, st *store.Store) (*ScopeCounts, []LiveEntry, error) {
	s, m, err := countsOf(ctx, v, st)
	if err != nil {
		return nil, nil, err
	}
	all, err := v.AllEntries(st.Scope)
	if err != nil || !m.Exists && len(all.List) == 0 {
		return nil, nil, err
	}
	s.Unread = len(all.Unread)
	s.Bytes += all.Bytes
	today := st.Stores.Today()
	for _, e := range all.List {
		switch {
		case e.Deleted:
			s.Deleted++
		case e.Expired(today):
			s.Expired++
		}
	}
	live, err := WithUses(st, all.Live(today), st.Stores.Now())
	for _, e := range live {
		s.entry(listed(ctx, st.Stores, e))
		if e.Hidden() {
			s.Withheld++
			continue
		}
		if e.Tier() == entry.Fact {
			category := cmp.Or(e.Category, entry.Fact)
			if !slices.Contains(entry.Categories(), category) {
				category = "other" // such a word can say anything, so it is not repeated
			}
			s.Categories[category]++
		}
		s.Conversations[session.Defuse(e.Conversation)]++
		if day := memory.UTCDay(e.Time()); day != "" {
			if s.Oldest == "" || day < s.Oldest {
				s.Oldest = day
			}
			s.Newest = max(s.Newest, day)
		}
	}
	return &s, live, err
}

// StatsResult counts what there is.
type StatsResult struct {
	Scopes   []ScopeCounts `json:"scopes"`
	Patterns Patterns      `json:"patterns"`
	// Models is what memctl's calls to models used today; nil without a configured model.
	Models *ModelStats `json:"models,omitempty"`
	memory.Withheld
}

// ModelStats is the use of models in one day, and the limit.
type ModelStats struct {
	Day        string `json:"day"`
	Calls      int    `json:"call_count"`
	Tokens     int    `json:"token_count"`
	TokenLimit int    `json:"token_limit"`
	Failures   int    `json:"failure_count"` // requests in a row that no model answered
}

// Patterns are how memory was used on this machine, in this worktree: from local
// state, never committed.
type Patterns struct {
	Acts     int            `json:"act_count"`
	ByAct    map[string]int `json:"acts"`
	ByHour   [24]int        `json:"hours"` // acts by hour of the day, UTC
	Days     int            `json:"day_count"`
	MostUsed []Record       `json:"most_used"`
	// Of the agents' sessions that hooks told of.
	Sessions      int            `json:"session_count"`
	ByAgent       map[string]int `json:"agents"`        // sessions by agent
	SessionHours  [24]int        `json:"session_hours"` // by the hour in which they began, UTC
	MedianSeconds int            `json:"median_seconds"`
	LongSeconds   int            `json:"longest_seconds"`
	Told          int            `json:"told_count"` // prompts, actions and errors of the last seven days that brought a memory
	// These come from the notes that memctl made of the last 90 days.
	Files   int                     `json:"file_count"` // a file counts once for each day
	Commits int                     `json:"commit_count"`
	Ran     []localstate.CommandRun `json:"commands"` // the 10 that ran most often
	Errors  []localstate.CommandEnd `json:"errors"`   // the 5 command lines that failed most often
}

const (
	topCommands = 10
	topErrors   = 5
)

// days adds up the notes that memctl made of the last 90 days.
func (p *Patterns) days(ss *store.Stores) error {
	notes, err := localstate.DayNotes(ss)
	runs, ends := map[string]*localstate.CommandRun{}, map[string]*localstate.CommandEnd{}
	for _, n := range notes {
		p.Files += len(n.Files)
		p.Commits += len(n.Commits)
		for _, c := range n.Ran {
			if runs[c.Command] == nil {
				runs[c.Command] = &localstate.CommandRun{Command: c.Command}
			}
			runs[c.Command].Runs += c.Runs
			runs[c.Command].Fails += c.Fails
		}
		for _, e := range n.Errors {
			if ends[e.Command] == nil {
				ends[e.Command] = &localstate.CommandEnd{Command: e.Command}
			}
			ends[e.Command].Fails += e.Fails
			ends[e.Command].EndedBy = cmp.Or(e.EndedBy, ends[e.Command].EndedBy) // the last one
		}
	}
	for _, c := range runs {
		p.Ran = append(p.Ran, *c)
	}
	for _, e := range ends {
		p.Errors = append(p.Errors, *e)
	}
	slices.SortFunc(p.Ran, func(a, b localstate.CommandRun) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Command, b.Command)) })
	slices.SortFunc(p.Errors, func(a, b localstate.CommandEnd) int {
		return cmp.Or(b.Fails-a.Fails, cmp.Compare(a.Command, b.Command))
	})
	p.Ran, p.Errors = p.Ran[:min(len(p.Ran), topCommands)], p.Errors[:min(len(p.Errors), topErrors)]
	return err
}

// defuseCommands makes the texts harmless, in place.
func defuseCommands(runs []localstate.CommandRun, ends []localstate.CommandEnd) {
	for i := range runs {
		runs[i].Command = session.Defuse(runs[i].Command)
	}
	for i := range ends {
		ends[i].Command, ends[i].EndedBy = session.Defuse(ends[i].Command), session.Defuse(ends[i].EndedBy)
	}
}
