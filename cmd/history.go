package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

func newLog(a *app) *cobra.Command {
	req, diff := view.LogRequest{}, false
	c := &cobra.Command{
		Use:   "log [KEY|ID|REV...]",
		Short: "Show the history of memory, newest first",
		Long: `Log lists the changes of items, facts, notes and summaries from git's history: what was
added, changed or forgotten, when, by whom and why. With KEY or ID it lists the changes of
that item or entry. With --all it reads every branch and the journal, which also has
changes that no branch contains any more.

With --diff it compares memory with the last commit, with the revision REV, or two
revisions with each other, item by item.`,
		Example: `  memctl log
  memctl log writing.tone
  memctl log 68e2cac8
  memctl log --all
  memctl log --max 20 --json
  memctl log --diff HEAD~5`,
		Args: func(c *cobra.Command, args []string) error {
			if diff {
				return argumentCount(0, 2)(c, args)
			}
			return argumentCount(0, 1)(c, args)
		},
		RunE: a.runner(needStores, func(s *session, args []string) error {
			if diff {
				return runDiff(s, args)
			}
			req.Scope, req.Key = s.Scope, strings.Join(args, "")
			result, err := view.Log(s.ctx, s.stores, s.Reader(), req)
			return present(s, result, err, func(r view.LogResult) error {
				if len(r.Changes) == 0 {
					s.note("no-changes", "no changes are recorded")
				}
				return s.print(logText(r.Changes, s.streams.OutColour))
			})
		}),
	}
	bindScope(c)
	c.Flags().IntVarP(&req.Max, "max", "k", 0, "show the newest `N` acts; a merge counts as one (0: all)")
	c.Flags().BoolVarP(&diff, "diff", "p", false, "compare versions of memory instead")
	c.Flags().BoolVar(&req.All, "all", false, "show the history of all branches and the journal")
	c.MarkFlagsMutuallyExclusive("diff", "max")
	c.MarkFlagsMutuallyExclusive("diff", "all")
	return c
}

// runDiff compares memory with the last commit, with a revision, or two revisions with each other.
func runDiff(s *session, args []string) error {
	revisions := append(args, "", "")
	result, err := view.Diff(s.ctx, s.stores, s.Reader(), view.DiffRequest{Scope: s.Scope, From: revisions[0], To: revisions[1]})
	return present(s, result, err, func(r view.DiffResult) error {
		if len(r.Changes) == 0 {
			s.note("no-difference", "no difference")
		}
		return s.print(changesText(r.Changes, "", s.streams.OutColour))
	})
}

func newWhy(a *app) *cobra.Command {
	return bindScope(&cobra.Command{
		Use:   "why KEY|ID",
		Short: "Show where a memory comes from and who sees it",
		Long: `Why shows one item, fact, note or summary with its source and all its changes. It says
whether the item is in the profile and, if it is not, why.`,
		Example: "  memctl why writing.tone\n  memctl why 68e2cac8",
		RunE:    a.runner(needStores, runWhy),
	})
}

func runWhy(s *session, args []string) error {
	result, err := view.Why(s.ctx, s.stores, s.Reader(), args[0], s.Scope, func() (view.ProfileResult, error) { return s.sessionProfile(contents.Person) })
	if missing := fault.Find(err, memory.RuleNotFound); missing != nil {
		missing.Hints = append(missing.Hints, "memctl log --all "+inert(redact(args[0])))
	}
	return present(s, result, err, func(r view.WhyResult) error {
		err := s.print(whyText(r, s.streams.OutColour))
		if err == nil && r.Restore != "" {
			s.hint(r.Restore)
		}
		return err
	})
}
