package view

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
)

// NotesResult lists the notes of some days, in the order in which they were made.
type NotesResult struct {
	From  string   `json:"from"` // the first day
	To    string   `json:"to"`   // the last day
	Notes []Record `json:"notes"`
	// Days are the notes that memctl made of these days. They belong to the worktree, so there
	// are none where the caller asked for one scope.
	Days []localstate.DayNote `json:"days,omitempty"`
	memory.Withheld
}

// Notes lists the notes of a day: today, yesterday, a day such as 2026-11-21, or
// of the week that ends today.
func Notes(ctx context.Context, ss *store.Stores, who contents.Reader, scope, when string) (NotesResult, error) {
	res := NotesResult{Notes: []Record{}}
	var err error
	if res.From, res.To, err = DaysOf(ss, when); err != nil {
		return res, err
	}
	list, err := List(ctx, ss, who, Query{Scope: scope, Tier: entry.Note, From: res.From, To: res.To})
	if err != nil {
		return res, err
	}
	res.Notes, res.Withheld = list.Records, list.Withheld
	slices.SortStableFunc(res.Notes, func(a, b Record) int { return cmp.Compare(a.Created, b.Created) })
	if scope == "" {
		res.Days, err = localstate.DayNotes(ss)
		res.Days = slices.DeleteFunc(res.Days, func(d localstate.DayNote) bool { return d.Day < res.From || d.Day > res.To })
	}
	for i := range res.Days {
		if d := &res.Days[i]; who != contents.Person {
			d.Files, d.Commits = defused(d.Files), defused(d.Commits)
			defuseCommands(d.Ran, d.Errors)
		}
	}
	return res, err
}

// DaysOf are the first and the last day that a word or a day names; "" is today.
func DaysOf(ss *store.Stores, when string) (from, to string, err error) {
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
		return "", "", &fault.Error{Code: "no-such-day", Status: 2, Cause: memory.Quoted(when) + ": unknown day (use today, yesterday, week, or a date such as 2026-11-21)", Hints: []string{"memctl list --tier note week"}}
	}
	return when, when, nil
}
