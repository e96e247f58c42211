package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

func newResolve(a *app) *cobra.Command {
	add := false
	c := &cobra.Command{
		Use:   "resolve [FILE]",
		Short: "Resolve merge conflicts in memory files",
		Long: `Resolve merges both sides of a memory file with conflict markers. It also merges items that
have the same key, and entries in conflict. It merges item by item, as docs/merge.md
describes. With FILE it resolves only that file.

During a merge, resolve writes the files and prints the git command that continues. With
--add it also marks the conflicts as resolved in git.`,
		Example: `  memctl resolve --dry-run
  memctl resolve
  memctl resolve --add`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			result, err := integrity.Resolve(s.ctx, s.stores, integrity.ResolveRequest{Options: s.Options, Add: add, File: strings.Join(args, "")})
			return present(s, result, err, s.printResolve)
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&add, "add", false, "run git add for the resolved files")
	return c
}

func (s *session) printResolve(result integrity.ResolveResult) error {
	switch {
	case !result.Needed && result.Added:
		s.print("added to git's index: the conflict is resolved\n")
	case !result.Needed:
		s.note("no-conflict", memory.Quoted(result.Path)+" has no conflict to resolve")
	default:
		text := "resolved: "
		if s.dryRun() {
			text = "would resolve: "
		}
		text += inert(result.Path) + " (" + count(result.Conflicts, "conflict") + ")\n"
		for _, name := range result.Files {
			text += "entry: " + inert(name) + "\n"
		}
		text += committedText(result.Committed, !s.dryRun() && !result.Added)
		if result.Added && result.Commit == nil {
			text += "added: git has no conflict in it any more\n"
		}
		s.print(text)
	}
	s.notes(result.Notes)
	s.hints(result.Hints)
	return s.printDiff(result.Diff)
}
