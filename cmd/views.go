package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
)

func runTopics(s *session) error {
	result, err := view.Topics(s.ctx, s.stores, s.Scope)
	return present(s, result, err, s.printTopics)
}

func (s *session) printTopics(result view.TopicsResult) error {
	if len(result.Topics) == 0 {
		s.talk("note: no entry has a topic yet")
		s.hint(`memctl remember "retries live in client.go" --topic http`)
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
		t.Row(inert(v.Name), entries, v.Last, strings.Join(facts, " "))
	}
	return s.printTable(&t)
}

func (s *session) printTable(t *term.Table) error {
	var b strings.Builder
	_ = t.Write(&b, s.streams.OutColour)
	return s.printLong(b.String())
}

func newSummary(a *app) *cobra.Command {
	o, update := &entryOptions{}, false
	c := &cobra.Command{
		Use:   "summary [TEXT]",
		Short: "Show or write the summary of a conversation",
		Long: `Summary shows the summaries of conversations. With TEXT it writes the summary of the
conversation that --conversation names (by default "project"), and replaces the previous
one. TEXT - reads from stdin. A single word is refused, because it is probably the name
of a conversation.

With --update it writes the summary from the previous one and the newer facts of the
conversation: by a configured model, or by rule if there is none.`,
		Example: `  memctl summary
  memctl summary --update --conversation parser
  memctl summary "the parser is done, the printer is next" --conversation parser`,
		RunE: func(c *cobra.Command, args []string) error {
			if update {
				if len(args) > 0 {
					return usage("--update", "goes without TEXT", "memctl summary --update")
				}
				return a.run(needWrite, func(s *session, _ []string) error { return s.updateSummary(o) })(c, args)
			}
			if len(args) == 1 {
				if o.conversation == "" && isConversation(args[0]) {
					return conversationMeant(args[0])
				}
				return a.run(needWrite, func(s *session, args []string) error { return runEntry(s, o, entry.RoleSummary, args[0]) })(c, args)
			}
			return a.run(needStores, func(s *session, _ []string) error { return runSummary(s, o) })(c, args)
		},
	}
	o.bind(c)
	c.Flags().BoolVar(&update, "update", false, "write the summary from the conversation's newer facts")
	return c
}

// isConversation reports whether a summary's text is rather the name of a
// conversation: one word, which says too little to be a summary.
func isConversation(text string) bool {
	return text != "-" && len(strings.Fields(text)) == 1
}

// conversationMeant is the error of a name that stands where the text does: written,
// it would take the place of the summary that was to be shown.
func conversationMeant(name string) error {
	name = strings.TrimSpace(name)
	return usage(name, "a single word looks like the name of a conversation, not like a summary", "memctl summary --conversation "+shell.Quote(name), "echo "+shell.Quote(name)+" | memctl summary -")
}

func runSummary(s *session, o *entryOptions) error {
	list, err := s.records(view.ListRequest{Scope: s.Scope, Tier: entry.Summary, Conversation: o.conversation})
	if err != nil {
		return err
	}
	if s.global.json {
		return s.printRecords("summaries", list)
	}
	if len(list) == 0 {
		of := ""
		if o.conversation != "" {
			of = " of conversation " + inert(redact(o.conversation))
		}
		s.talk("note: there is no summary" + of + " yet")
	}
	var b strings.Builder
	for _, v := range list {
		head := inert(v.Conversation) + " (" + v.Scope + ")"
		if month := inert(v.Month); month != "" {
			head = inert(v.Conversation) + ", notes of " + month + " (" + v.Scope + ")"
		}
		if v.Stale {
			head += " " + term.Warning.Paint(s.streams.OutColour, "(lost lines since it was written)")
		}
		if v.Hidden() {
			head += " " + term.Warning.Paint(s.streams.OutColour, v.Mark())
		}
		b.WriteString(term.Strong.Paint(s.streams.OutColour, head) + "\n")
		for _, line := range strings.Split(v.Text, "\n") {
			b.WriteString("  " + inert(line) + "\n")
		}
	}
	return s.printLong(b.String())
}

func newVerify(a *app) *cobra.Command {
	c := newKeysCommand(a, edit.Verify, &cobra.Command{
		Use:   "verify [ID...]",
		Short: "List the facts whose code has changed, or confirm that facts still match it",
		Long: `Verify lists the facts whose anchors (--anchor of memctl remember) point to lines that were
changed or removed since. Lines that only moved do not count. With the ID of facts that are
still true, it updates their anchors to the present code.`,
		Example: `  memctl verify
  memctl verify 1f0c4a2b`,
	})
	update := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return update(c, args)
		}
		return a.run(needStores, runStale)(c, args)
	}
	return c
}

func runStale(s *session, _ []string) error {
	result, err := view.Stale(s.ctx, s.stores, s.Scope)
	return present(s, result, err, s.printStale)
}

func (s *session) printStale(result view.StaleResult) error {
	switch {
	case result.Checked == 0:
		s.talk("note: no fact has an anchor yet")
		s.hint(`memctl remember "retries live in client.go" --anchor client.go#L10-L24`)
	case len(result.Entries) == 0:
		s.talk("note: " + count(result.Checked, "fact") + " with an anchor, all up to date")
	default:
		s.talk(fmt.Sprintf("note: %d of %s with an anchor may be out of date", len(result.Entries), count(result.Checked, "fact")))
	}
	return s.printEntries(result.Entries, func(v view.Record) string { return v.Scope })
}

func newStats(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count what is remembered and how it is used",
		Long: `Stats counts items and entries by scope, category and conversation. It also counts the
changes and the agents' sessions of this worktree; these numbers are local and never
committed.

If memctl.capture is on, it lists the most frequent commands of the last 90 days, the
command lines that failed most often, and the ones that succeeded afterwards. If a model is
configured, it shows today's calls, and its tokens against the daily limit.`,
		Example: `  memctl stats
  memctl stats --json`,
		RunE: a.run(needStores, runStats),
	}
	bindScope(c)
	return c
}

func runStats(s *session, _ []string) error {
	result, err := view.Stats(s.ctx, s.stores, s.Scope)
	return present(s, result, err, s.printStats)
}

func (s *session) printStats(result view.StatsResult) error {
	var t term.Table
	for _, v := range result.Scopes {
		t.Cells(term.Cell{Text: v.Scope, Style: term.Strong})
		t.Row("  items", fmt.Sprint(v.Items))
		t.Row("  facts", fmt.Sprint(v.Facts), counted(v.Categories))
		if v.Unconfirmed > 0 {
			t.Row("  waiting for confirmation", fmt.Sprint(v.Unconfirmed), "memctl review")
		}
		t.Row("  notes, summaries, turns", fmt.Sprintf("%d, %d, %d", v.Notes, v.Summaries, v.Turns))
		t.Row("  conversations", fmt.Sprint(len(v.Conversations)), counted(v.Conversations))
		t.Row("  expired, replaced, withheld, unread", fmt.Sprintf("%d, %d, %d, %d", v.Expired, v.Deleted, v.Withheld, v.Unread))
		if v.Oldest != "" || v.Bytes > 0 {
			t.Row("  from, to", strings.TrimSpace(v.Oldest+" "+v.Newest), fmt.Sprintf("%d bytes", v.Bytes))
		}
	}
	if m := result.Models; m != nil {
		t.Cells(term.Cell{Text: "models today", Style: term.Strong})
		t.Row("  calls", fmt.Sprint(m.Calls))
		t.Row("  tokens", fmt.Sprintf("%d of %d", m.Tokens, m.TokenLimit))
	}
	t.Cells(term.Cell{Text: "this worktree", Style: term.Strong})
	t.Row("  acts", fmt.Sprint(result.Patterns.Acts), counted(result.Patterns.ByAct))
	t.Row("  days", fmt.Sprint(result.Patterns.Days), busiest(result.Patterns.ByHour))
	if p := result.Patterns; p.Sessions > 0 {
		t.Row("  sessions", fmt.Sprint(p.Sessions), counted(p.ByAgent))
		t.Row("  session length", "median "+lasting(p.MedianSeconds), "longest "+lasting(p.LongSeconds)+", "+busiest(p.SessionHours))
	}
	for _, v := range result.Patterns.MostUsed {
		t.Row("  used", count(v.Uses, "time"), recordText(v, inert)+recordFacts(v))
	}
	if p := result.Patterns; len(p.Commands) > 0 {
		t.Row("  commands", "", strings.Join(commandRuns(p.Commands), ", "))
	}
	for i, e := range result.Patterns.Errors {
		t.Row([]string{"  errors", ""}[min(i, 1)], "", commandEnd(e))
	}
	if p := result.Patterns; p.Files+p.Commits > 0 {
		t.Row("  files written, commits", fmt.Sprintf("%d, %d", p.Files, p.Commits))
	}
	return s.printTable(&t)
}

// counted lists names with their numbers, the largest first.
func counted(m map[string]int) string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, name := range names[:min(len(names), 8)] {
		out = append(out, fmt.Sprintf("%s %d", inert(name), m[name]))
	}
	return strings.Join(out, ", ")
}

// lasting is a number of seconds, to the minute from one on.
func lasting(seconds int) string {
	d := time.Duration(seconds) * time.Second
	if d >= time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.String()
}

func busiest(hours [24]int) string {
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
