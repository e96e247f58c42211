package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
)

type logOptions struct {
	scope string
	max   int
	all   bool
}

func newLog(a *app) *cobra.Command {
	o := &logOptions{}
	c := &cobra.Command{
		Use:   "log [KEY|ID]",
		Short: "Show the history of memory, newest first",
		Long: `Log lists the changes of items, facts, notes and summaries from git's history: what was
added, changed or forgotten, when, by whom and why. With KEY or ID it lists the changes of
that item or entry. With --all it reads every branch and the journal, which also has
changes that no branch contains any more.`,
		Example: `  memctl log
  memctl log writing.tone
  memctl log 68e2cac8
  memctl log --all
  memctl log --max 20 --json`,
		Args:              takes(0, 1),
		RunE:              a.run(needStores, func(s *session, args []string) error { return runLog(s, o, args) }),
		ValidArgsFunction: a.completeOneKeyOrID,
	}
	bindScope(c, &o.scope)
	c.Flags().IntVarP(&o.max, "max", "k", 0, "show the newest `N` acts; a merge counts as one (0: all)")
	c.Flags().BoolVar(&o.all, "all", false, "show the history of all branches and the journal")
	return c
}

func runLog(s *session, o *logOptions, args []string) error {
	if err := checkScope(o.scope); err != nil {
		return err
	}
	req := view.LogRequest{Scope: o.scope, Max: o.max, All: o.all}
	if len(args) == 1 {
		req.Key = args[0]
	}
	result, err := view.Log(s.ctx, s.stores, req)
	if err == nil {
		err = s.hideFromAgent(result.ForAgent)
	}
	switch {
	case err != nil:
		return err
	case s.global.json:
		return s.printJSON(result)
	case len(result.Changes) == 0:
		s.talk("note: no changes are recorded")
	}
	return s.printLong(logText(result.Changes, s.streams.OutColour))
}

type diffOptions struct{ scope, format string }

func newDiff(a *app) *cobra.Command {
	o := &diffOptions{}
	c := &cobra.Command{
		Use:   "diff [REV [REV]]",
		Short: "Compare two versions of memory",
		Long: `Diff compares memory with the last commit, with a revision, or two revisions with each
other, item by item.`,
		Example: `  memctl diff
  memctl diff HEAD~5
  memctl diff main feature
  memctl diff main HEAD --format markdown`,
		Args: takes(0, 2),
		RunE: a.run(needStores, func(s *session, args []string) error { return runDiff(s, o, args) }),
	}
	bindScope(c, &o.scope)
	bindDiffFormat(c, &o.format)
	return c
}

func runDiff(s *session, o *diffOptions, args []string) error {
	if err := errors.Join(checkScope(o.scope), oneOf("--format", o.format, diffFormats()...)); err != nil {
		return err
	}
	req := view.DiffRequest{Scope: o.scope}
	if len(args) > 0 {
		req.From = args[0]
	}
	if len(args) > 1 {
		req.To = args[1]
	}
	result, err := view.Diff(s.ctx, s.stores, req)
	if err == nil {
		err = s.hideFromAgent(result.ForAgent)
	}
	switch {
	case err != nil:
		return err
	case s.global.json || o.format == formatJSON:
		return s.printJSON(result)
	case o.format == formatMarkdown:
		return s.print(changesTable(result.Changes))
	case len(result.Changes) == 0:
		s.talk("note: no difference")
	}
	return s.printLong(changesText(result.Changes, "", s.streams.OutColour))
}

type whyOptions struct{ scope string }

func newWhy(a *app) *cobra.Command {
	o := &whyOptions{}
	c := &cobra.Command{
		Use:   "why KEY|ID",
		Short: "Show where a memory comes from and who sees it",
		Long: `Why shows one item, fact, note or summary with its source and all its changes. It says
whether the item is in the profile and, if it is not, why.`,
		Example:           "  memctl why writing.tone\n  memctl why 68e2cac8",
		Args:              takes(1, 1),
		RunE:              a.run(needStores, func(s *session, args []string) error { return runWhy(s, o, args) }),
		ValidArgsFunction: a.completeOneKeyOrID,
	}
	bindScope(c, &o.scope)
	return c
}

func runWhy(s *session, o *whyOptions, args []string) error {
	if err := checkScope(o.scope); err != nil {
		return err
	}
	by, err := s.origin(false)
	if err != nil {
		return err
	}
	result, err := view.Why(s.ctx, s.stores, args[0], o.scope)
	if missing := fault.Find(err, memory.RuleNotFound); missing != nil && by.Kind == memory.Explicit {
		view.NoteJournal(s.ctx, s.stores, missing, args[0], o.scope)
	}
	if err == nil {
		err = s.hideFromAgent(result.ForAgent)
	}
	if err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	err = s.printLong(whyText(result, s.streams.OutColour))
	if err == nil && result.Restore != "" {
		s.hint(result.Restore)
	}
	return err
}
