package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/setup"
)

func (s *session) printStats(result view.StatsResult) error {
	var t term.Table
	for _, v := range result.Scopes {
		t.AddCells(term.Cell{Text: v.Scope, Style: term.Strong})
		t.AddRow("  items", fmt.Sprint(v.Items))
		t.AddRow("  facts", fmt.Sprint(v.Facts), countsText(v.Categories))
		if v.Unconfirmed > 0 {
			t.AddRow("  waiting for confirmation", fmt.Sprint(v.Unconfirmed), "memctl review")
		}
		t.AddRow("  notes, summaries, turns", fmt.Sprintf("%d, %d, %d", v.Notes, v.Summaries, v.Turns))
		t.AddRow("  conversations", fmt.Sprint(len(v.Conversations)), countsText(v.Conversations))
		t.AddRow("  expired, replaced, withheld, unread", fmt.Sprintf("%d, %d, %d, %d", v.Expired, v.Deleted, v.Withheld, v.Unread))
		if v.Oldest != "" || v.Bytes > 0 {
			t.AddRow("  from, to", strings.TrimSpace(v.Oldest+" "+v.Newest), fmt.Sprintf("%d bytes", v.Bytes))
		}
	}
	if m := result.Models; m != nil {
		t.AddCells(term.Cell{Text: "models today", Style: term.Strong})
		t.AddRow("  calls", fmt.Sprint(m.Calls))
		t.AddRow("  tokens", fmt.Sprintf("%d of %d", m.Tokens, m.TokenLimit))
	}
	t.AddCells(term.Cell{Text: "this worktree", Style: term.Strong})
	t.AddRow("  acts", fmt.Sprint(result.Patterns.Acts), countsText(result.Patterns.ByAct))
	t.AddRow("  days", fmt.Sprint(result.Patterns.Days), busiestHour(result.Patterns.ByHour))
	if p := result.Patterns; p.Sessions > 0 {
		t.AddRow("  sessions", fmt.Sprint(p.Sessions), countsText(p.ByAgent))
		t.AddRow("  this week", count(p.Told, "time")+" a memory without a question")
		t.AddRow("  session length", "median "+durationText(p.MedianSeconds), "longest "+durationText(p.LongSeconds)+", "+busiestHour(p.SessionHours))
	}
	for _, v := range result.Patterns.MostUsed {
		t.AddRow("  used", count(v.Uses, "time"), recordText(v, inert)+recordFacts(v))
	}
	if p := result.Patterns; len(p.Ran) > 0 {
		t.AddRow("  commands", "", strings.Join(commandRuns(p.Ran), ", "))
	}
	for i, e := range result.Patterns.Errors {
		t.AddRow([]string{"  errors", ""}[min(i, 1)], "", commandEnd(e))
	}
	if p := result.Patterns; p.Files+p.Commits > 0 {
		t.AddRow("  files written, commits", fmt.Sprintf("%d, %d", p.Files, p.Commits))
	}
	return s.printTable(&t)
}

// countsText lists names with their numbers, the largest first.
func countsText(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
	var out []string
	for _, name := range names[:min(len(names), 8)] {
		out = append(out, fmt.Sprintf("%s %d", inert(name), m[name]))
	}
	return strings.Join(out, ", ")
}

// durationText is a number of seconds, to the minute from one on.
func durationText(seconds int) string {
	d := time.Duration(seconds) * time.Second
	if d >= time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.String()
}

func busiestHour(hours [24]int) string {
	most := 0
	for h, n := range hours {
		if n > hours[most] {
			most = h
		}
	}
	if hours[most] == 0 {
		return ""
	}
	return fmt.Sprintf("most at %02d:00 UTC", most)
}

func (s *session) printProjects(result setup.ProjectsResult) error {
	var t term.Table
	for _, p := range result.Projects {
		mark := ""
		if p.Here {
			mark = "*"
		}
		t.AddCells(
			term.Cell{Text: mark}, term.Cell{Text: inert(p.Name), Style: term.Strong}, term.Cell{Text: inert(p.Status)}, term.Cell{Text: inert(p.Last)},
			term.Cell{Text: inert(strings.Join(p.Technologies, ", "))}, term.Cell{Text: inert(p.Path)}, term.Cell{Text: inert(p.Description)},
		)
	}
	return s.printTable(&t)
}
