package cmd

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

func newShow(a *app) *cobra.Command {
	return bindScope(&cobra.Command{
		Use:   "show [KEY|AREA|GLOB|ID...]",
		Short: "Show every item that is remembered",
		Long: `Show prints the items of every scope with confidence, date and tags, and lists the
forgotten ones. If agents do not receive an item, show prints the reason. At the end it
says how many facts there are.

With arguments it shows the items with these keys, the items whose keys begin with AREA or
match GLOB, and the facts and notes with these ids. It prints a value of several lines in
full. "memctl list" also lists facts and notes.`,
		Example: `  memctl show
  memctl show writing.tone
  memctl show 68e2cac8
  memctl show tooling --scope project`,
		RunE: a.runner(needStores, runShow),
	})
}

func runShow(s *session, patterns []string) error {
	req := view.ShowRequest{Scope: s.Scope, Patterns: patterns}
	result, err := view.Show(s.ctx, s.stores, s.Reader(), req)
	s.tellWithheld(result.WithheldCount)
	if err != nil && !holdsAny(result) {
		return err
	}
	// Of several keys, those that are there are shown before the error.
	if s.global.json {
		return errors.Join(s.printJSON(result), err)
	}
	facts := ""
	if len(patterns) == 0 {
		facts = s.countOfFacts()
	}
	if !holdsAny(result) && facts == "" {
		s.note("empty-memory", "nothing is remembered yet", `memctl add writing.tone "concise, no filler"`)
	}
	entries := s.entriesText(result.Entries, func(v view.Record) string { return v.Scope }, inertLines)
	return errors.Join(s.print(showText(result, s.streams.OutColour)+entries+facts), err)
}

// countOfFacts is a line with the number of the facts, which show does not print, and the command that lists them.
func (s *session) countOfFacts() string {
	facts, err := view.List(s.ctx, s.stores, s.Reader(), view.Query{Scope: s.Scope, Tier: entry.Fact})
	if err != nil || len(facts.Records) == 0 {
		return ""
	}
	return count(len(facts.Records), "fact") + ": memctl list --tier fact" + memory.ScopeFlag(s.Scope) + "\n"
}

// holdsAny reports whether anything is in the result.
func holdsAny(r view.ShowResult) bool {
	return len(r.Entries) > 0 || slices.ContainsFunc(r.Scopes, func(scope view.ScopeView) bool { return len(scope.Items)+len(scope.Deletions) > 0 })
}
