package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/setup"
)

type listOptions struct {
	req    view.Query
	picked string // an area or glob of items, a category of facts, or the days of notes

	topics, files, counts, projects bool
}

func newList(a *app) *cobra.Command {
	o := &listOptions{}
	c := &cobra.Command{
		Use:   "list [AREA|GLOB|CATEGORY|DAY]",
		Short: "List items, facts, notes, topics, files, counts or projects",
		Long: `List prints the scope, the key and the value of every item, one line each. An AREA (the
beginning of a key) or a GLOB selects items. For a value of several lines, list prints the
first line and the number of the others; "memctl show KEY" prints them all.

With --tier fact it lists all facts, or the facts of one CATEGORY: the beginning of the
id, the standing, scope, category and text. The standing is 1+ln(1+uses), and halves with
every 30 days without use. It serves only to sort the list.

With --tier note it lists what "memctl note" stored on a DAY: today (the default),
yesterday, a date, or week for the seven days that end today. If memctl.capture is on,
memctl also writes a note of each day from the transcripts of this worktree: files that
agents wrote, the most frequent commands, commits, and errors with the command that fixed
them. This note stays on this machine, is not in git, and is deleted after 90 days.

With --topics it lists the topics of facts and notes, or the tags of those without a topic,
with the number of entries, the last date and the newest facts. With --files it lists the
memory files, and the files of facts, notes and summaries. With --projects it lists your
projects, from the items project.* here and projects.* of your own store.

With --counts it counts items and entries by scope, category and conversation, and the
changes, sessions and commands of this worktree; these numbers are local and never
committed. If a model is configured, it shows today's calls and tokens.`,
		Example: `  memctl list
  memctl list testing
  memctl list '*.tone'
  memctl list --scope user --tag style
  memctl list --by automatic --confidence low
  memctl list --tier fact gotcha
  memctl list --tier note 2026-11-21
  memctl list --files`,
		RunE: a.runner(needStores, func(s *session, args []string) error {
			o.req.Scope, o.picked = s.Scope, strings.Join(args, "")
			return runList(s, o)
		}),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			switch o.req.Tier {
			case entry.Fact:
				return entry.Categories(), cobra.ShellCompDirectiveNoFileComp
			case entry.Note:
				return []string{"today", "yesterday", "week"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeArguments(c, args, typed)
		},
	}
	bindScope(c)
	f := c.Flags()
	f.StringVarP(&o.req.Tag, "tag", "t", "", "list only items or facts with `TAG`")
	f.StringVar(&o.req.Confidence, "confidence", "", "list only items of confidence `LEVEL`: low, medium or high")
	f.StringVar(&o.req.By, "by", "", "list only items set by `WHOM`: person, relayed or automatic")
	f.StringVar(&o.req.Tier, "tier", "", "list `TIER` instead: fact or note")
	f.BoolVar(&o.topics, "topics", false, "list the topics of facts and notes instead")
	f.BoolVar(&o.files, "files", false, "list the files of memory instead")
	f.BoolVar(&o.counts, "counts", false, "count what is remembered, and how it is used, instead")
	f.BoolVar(&o.projects, "projects", false, "list your projects instead")
	allow(c, "confidence", memfile.Low, memfile.Medium, memfile.High)
	allow(c, "by", view.ByPerson, memfile.ByRelayed, memfile.ByAutomatic)
	allow(c, "tier", entry.Fact, entry.Note)
	for _, other := range []string{"confidence", "by", "tag"} {
		c.MarkFlagsMutuallyExclusive("topics", "files", "counts", "projects", other)
	}
	for _, other := range []string{"confidence", "by"} {
		c.MarkFlagsMutuallyExclusive("tier", other)
	}
	for _, other := range []string{"topics", "files", "counts", "projects"} {
		c.MarkFlagsMutuallyExclusive("tier", other)
	}
	c.MarkFlagsMutuallyExclusive(flagScope, "projects")
	return c
}

func runList(s *session, o *listOptions) error {
	switch {
	case (o.files || o.topics || o.counts || o.projects) && o.picked != "":
		return usage(o.picked, "--files, --topics, --counts and --projects take no argument")
	case o.req.Tier == entry.Note && o.req.Tag != "":
		return usage("--tag", "selects items and facts, not notes", "memctl list --tier fact --tag "+shell.Quote(o.req.Tag))
	case o.files:
		result, err := view.ListFiles(s.ctx, s.stores, s.Scope)
		return present(s, result, err, func(r view.FilesResult) error {
			var t term.Table
			for _, f := range r.Files {
				t.AddCells(term.Cell{Text: f.Scope, Style: term.Faint}, term.Cell{Text: f.Tier}, term.Cell{Text: inert(f.Path)})
			}
			return s.printTable(&t)
		})
	case o.counts:
		result, err := view.Stats(s.ctx, s.stores, s.Reader(), s.Scope)
		return present(s, result, err, s.printStats)
	case o.projects:
		result, err := setup.Projects(s.ctx, s.stores)
		return present(s, result, err, s.printProjects)
	case o.topics:
		result, err := view.Topics(s.ctx, s.stores, s.Scope)
		return present(s, result, err, s.printTopics)
	case o.req.Tier == entry.Note:
		result, err := view.Notes(s.ctx, s.stores, s.Reader(), s.Scope, o.picked)
		return present(s, result, err, func(r view.NotesResult) error {
			s.printNoNotes(r)
			return s.print(notesText(r, s.streams.OutColour))
		})
	case o.req.Tier == entry.Fact:
		o.req.Category = o.picked
	default:
		if o.req.Tier = view.Item; o.picked != "" {
			o.req.Patterns = []string{o.picked}
		}
	}
	list, err := s.records(o.req)
	if err != nil {
		return err
	}
	switch {
	case s.global.json:
		return s.printRecords(map[string]string{entry.Fact: "facts", view.Item: "items"}[o.req.Tier], list)
	case o.req.Tier == entry.Fact && len(list) == 0:
		s.note("no-such-fact", "no fact matches", "memctl list --tier fact", `memctl remember "[gotcha] the tests need Docker running"`)
	case o.req.Tier == entry.Fact:
		return s.printEntries(list, func(r view.Record) string { return fmt.Sprintf("%.2f  %s", r.Standing, r.Scope) })
	case len(list) == 0:
		s.note("no-item", "no item matches", "memctl show")
	}
	t := term.Table{MaxWidth: keyColumn}
	for _, r := range list {
		text := markedText(r, func(text string) string { return firstLine(inertLines(text)) })
		t.AddCells(term.Cell{Text: r.Scope, Style: term.Faint}, term.Cell{Text: inert(r.Key), Style: term.Strong}, term.Cell{Text: text})
	}
	return s.printTable(&t)
}

// records lists records as the caller may have them.
func (s *session) records(req view.Query) ([]view.Record, error) {
	res, err := view.List(s.ctx, s.stores, s.Reader(), req)
	s.tellWithheld(res.WithheldCount)
	return res.Records, err
}

// printRecords prints records for programs, under a name.
func (s *session) printRecords(name string, list []view.Record) error {
	return s.printRow(map[string]any{"schema": memory.SchemaNumber, name: list})
}

// printNoNotes says that there are no notes of the days. Compact puts older ones into summaries.
func (s *session) printNoNotes(r view.NotesResult) {
	days := "on " + r.From
	if r.From != r.To {
		days = "from " + r.From + " to " + r.To
	}
	if len(r.Notes)+len(r.Days) == 0 {
		s.note("no-notes", "no notes "+days+"; older ones may be in the summary of their month", "memctl summary", `memctl note "what was done, tried or decided"`)
	}
}

// notesText is the journal: a heading for each day, its notes with their times, and the note
// that memctl made of it.
func notesText(r view.NotesResult, colour bool) string {
	byDay := map[string]string{}
	for _, v := range r.Notes {
		stamp, _ := entry.ParseTime(v.Created)
		lines := strings.Split(v.Text, "\n")
		v.Text = lines[0]
		text := "  " + stamp.Format("15:04") + "  " + term.Faint.Paint(colour, short(inert(v.ID))) + "  " + recordText(v, inert) + recordFacts(v) + "\n"
		for _, line := range lines[1:] {
			text += "                   " + inert(line) + "\n"
		}
		byDay[stamp.Format(time.DateOnly)] += text
	}
	for _, d := range r.Days {
		byDay[d.Day] += dayText(d, colour)
	}
	var parts []string
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		parts = append(parts, term.Strong.Paint(colour, day)+"\n"+byDay[day])
	}
	return strings.Join(parts, "\n")
}

// shownOfDay is how many of each a day's note shows. With --json there are all.
const shownOfDay = 8

// dayText is the note that memctl made of a day.
func dayText(d localstate.DayNote, colour bool) string {
	t := term.Table{Indent: "    "}
	row := func(name string, texts []string) {
		if more := len(texts) - shownOfDay; more > 0 {
			texts = append(texts[:shownOfDay:shownOfDay], fmt.Sprintf("and %d more", more))
		}
		if len(texts) > 0 {
			t.AddRow(name, inert(strings.Join(texts, ", ")))
		}
	}
	row("files", d.Files)
	row("commands", commandRuns(d.Ran))
	row("commits", d.Commits)
	for i, e := range d.Errors[:min(len(d.Errors), shownOfDay)] {
		t.AddRow([]string{"errors", ""}[min(i, 1)], commandEnd(e))
	}
	return "  " + term.Faint.Paint(colour, "made by memctl from this worktree's sessions, not in git") + "\n" + t.Text(colour)
}

// commandRuns lists commands with how often each ran and failed.
func commandRuns(runs []localstate.CommandRun) []string {
	var list []string
	for _, c := range runs {
		text := fmt.Sprintf("%s %d", inert(c.Command), c.Runs)
		if c.Fails > 0 {
			text += fmt.Sprintf(" (%d failed)", c.Fails)
		}
		list = append(list, text)
	}
	return list
}

// commandEnd says how often a command line failed, and which one passed then.
func commandEnd(e localstate.CommandEnd) string {
	text := inert(e.Command) + " failed"
	if e.Fails > 1 {
		text += " " + count(e.Fails, "time")
	}
	if e.EndedBy == e.Command {
		return text + ", then passed"
	}
	if e.EndedBy != "" {
		text += ", then this passed: " + inert(e.EndedBy)
	}
	return text
}

func (s *session) printTopics(result view.TopicsResult) error {
	if len(result.Topics) == 0 {
		s.note("no-topics", "no entry has a topic yet", `memctl remember "retries live in client.go" --topic http`)
	}
	var t term.Table
	for _, v := range result.Topics {
		var facts []string
		for _, id := range v.Facts[:min(len(v.Facts), 5)] {
			facts = append(facts, short(inert(id)))
		}
		entries := fmt.Sprint(v.Count) + " entries"
		if v.Count == 1 {
			entries = "1 entry"
		}
		t.AddRow(inert(v.Name), entries, v.Last, strings.Join(facts, " "))
	}
	return s.printTable(&t)
}
