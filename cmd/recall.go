package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/sharing"
)

// recallOptions are the flags of recall.
type recallOptions struct {
	req     briefing.RecallRequest
	explain bool
	fresh   bool
	history bool
	all     bool
	hyde    bool
	engine  string
}

func newRecall(a *app) *cobra.Command {
	o := &recallOptions{}
	c := &cobra.Command{
		Use:   "recall [QUERY]",
		Short: "Search everything that is remembered",
		Long: `Recall searches items, facts, notes, summaries and instruction files such as CLAUDE.md, and
prints the best matches. It knows word stems, names, dates and parts of identifiers. It
prints nothing if nothing matches, and three hits at most if nothing matches well. It
leaves out expired, forgotten and withheld memories.

Score 1 means that every word of the query matched. Weaker hits list the words that
matched. --explain shows how each score is computed.

With --history, recall searches past sessions instead: what you and your agents said, in
the transcripts that Claude Code, Codex, Gemini CLI and Copilot CLI keep on this machine.
It finds the sessions of this repository, or of every folder with --all.
"memctl remember --from ID" stores the text of a hit as a fact.`,
		Example: `  memctl recall "how are retries done"
  memctl recall redis --tier fact -k 3 --explain
  memctl recall --history "why did we drop redis" --since 2026-11-01`,
		Args: cobra.ArbitraryArgs,
		RunE: a.runner(needStores, func(s *session, args []string) error { return runRecall(s, o, args) }),
	}
	bindScope(c)
	f := c.Flags()
	f.IntVarP(&o.req.K, "count", "k", 0, "print at most `N` hits (default 5)")
	f.StringSliceVar(&o.req.Tiers, "tier", nil, "search only `TIER`: item, fact, note, summary, turn or file (may be repeated)")
	f.StringVarP(&o.req.Category, "category", "c", "", "search only facts of `CATEGORY`")
	f.StringVarP(&o.req.Tag, "tag", "t", "", "search only entries with `TAG`")
	f.StringVar(&o.req.Since, "since", "", "search only entries since `DAY`: today, yesterday, week, or a date such as 2026-11-21")
	f.StringVar(&o.req.Conversation, "conversation", "", "search no other conversation than `NAME`")
	f.BoolVar(&o.explain, "explain", false, "show how each score is computed")
	f.BoolVar(&o.req.Duplicates, "duplicates", false, "also print memories that say nearly the same as a better hit")
	f.BoolVar(&o.fresh, "fresh", false, "check every file for changes first")
	f.BoolVar(&o.history, "history", false, "search past sessions of your agents")
	f.BoolVar(&o.all, "all", false, "with --history: search the sessions of every folder, not only of this repository")
	f.StringVar(&o.req.Guess, "guess", "", "also search for the words of `TEXT`: your guess of what the memory says")
	f.BoolVar(&o.hyde, "hyde", false, "let the configured model write a guess, in place of --guess")
	f.StringVar(&o.engine, "engine", briefing.EngineAuto, "search where `ENGINE` says: the index on this disk (file), the shared index (postgres) or both (auto)")
	allow(c, "engine", briefing.Engines()...)
	c.MarkFlagsMutuallyExclusive("guess", "hyde")
	for _, name := range []string{"guess", "hyde", "engine", "tier", "category", "tag", "conversation", "explain", "fresh", "scope"} {
		c.MarkFlagsMutuallyExclusive("history", name)
	}
	offer(c, "category", entry.Categories()...)
	offer(c, "since", "today", "yesterday", "week")
	offer(c, "tier", "item", "fact", "note", "summary", "turn", "file")
	return c
}

func (o *recallOptions) check(args []string) error {
	switch {
	case strings.TrimSpace(strings.Join(args, "")) == "":
		return usage("recall", "needs a QUERY", `memctl recall "how are retries done"`)
	case o.all && !o.history:
		return usage("--all", "chooses among past sessions", "memctl recall --history --all QUERY")
	case o.req.K < 0:
		return usage("-k", "use 0 or more")
	}
	return nil
}

func runRecall(s *session, o *recallOptions, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	opt := briefing.RecallOptions{Scope: s.Scope, Reader: s.Reader(), Fresh: o.fresh, Engine: o.engine}
	progress := s.progress("indexing", map[bool]string{false: "files", true: "sessions"}[o.history])
	opt.Progress = func(done, total int) {
		setPace(thriftyHeap) // many files are read
		progress.Update(done, total)
	}
	var err error
	if o.history {
		err = s.searchesSessions(o, &opt)
	} else if opt.Dial, err = s.dial(s.stores, o.engine); err == nil && o.engine != briefing.EngineFile {
		sharing.Renew(s.ctx, s.stores, opt.Dial)
	}
	if err != nil {
		return err
	}
	r, err := briefing.OpenRecall(s.ctx, s.stores, opt)
	progress.Clear()
	if err != nil {
		return err
	}
	defer r.Close()
	req := o.req
	req.Query = strings.Join(args, " ")
	if o.hyde {
		req.Guess = s.guess(req.Query)
	}
	result, err := r.Find(s.ctx, req)
	if err != nil {
		return err
	}
	err = s.printRecall(o, result)
	if !s.Explicit() {
		briefing.NoteUsed(s.ctx, s.stores, result.Hits)
	}
	return err
}

func (s *session) printRecall(o *recallOptions, result briefing.RecallResult) error {
	s.warnings(result.Warnings)
	switch {
	case s.global.json:
		return s.printJSON(result)
	case len(result.Hits) == 0:
		s.printNoHits(o)
		return nil
	}
	if result.Weak {
		s.note("no-good-match", briefing.Nearest)
	}
	return s.printHits(result.Hits, o.explain)
}

// printHits prints hits, a line each.
func (s *session) printHits(hits []briefing.RecallHit, explain bool) error {
	var b strings.Builder
	for _, h := range hits {
		name := inert(h.ID)
		if h.Tier != view.Item && h.Tier != "file" && h.Tier != briefing.TierSession {
			name = short(name)
		}
		cells := []term.Cell{{Text: fmt.Sprintf("%.2f", h.Score)}, {Text: inert(cmp.Or(h.Category, h.Tier))}, {Text: name, Style: term.Faint}, {Text: hitText(h)}}
		if h.Tier == briefing.TierSession {
			cells = cells[2:] // the id first: remember --from takes it
		}
		var t term.Table
		t.AddCells(cells...)
		b.WriteString(t.Text(s.streams.OutColour))
		if explain {
			b.WriteString(explained(h))
		}
	}
	return s.print(b.String())
}

// printNoHits says that nothing was found, and what narrowed it.
func (s *session) printNoHits(o *recallOptions) {
	var within []string
	for _, f := range []struct{ flag, word string }{
		{"--scope", s.Scope}, {"--conversation", o.req.Conversation}, {"--tier", strings.Join(o.req.Tiers, ",")},
		{"--category", o.req.Category}, {"--tag", o.req.Tag}, {"--since", o.req.Since},
	} {
		if f.word != "" {
			within = append(within, f.flag+" "+inert(redact(f.word)))
		}
	}
	said, hints := "nothing matches", []string{}
	if o.history {
		said = "nothing matches in past sessions"
		if !o.all && s.Explicit() {
			hints = append(hints, s.commandWith("--all"))
		}
	}
	if len(within) > 0 {
		said += " within " + strings.Join(within, " ") + "; try without"
	}
	s.note("no-match", said, hints...)
}
