package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/setup"
)

func newInit(a *app) *cobra.Command {
	return bindWrite(&cobra.Command{
		Use:   "init [--scope SCOPE]",
		Short: "Create the memory file of this repository",
		Long: `Init writes an empty memories.md at the root of the repository, commits it, and lets your
agents read it (memctl.trust in the repository's own git config). If the file exists
already, init changes nothing, and asks you whether to trust it.

With --scope private or user, init creates a store outside the repository.`,
		Example: `  memctl init
  memctl init --scope private
  memctl init --dry-run`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error {
			req := setup.InitRequest{Options: s.Options}
			if s.mayAsk() {
				req.Ask = s.confirmYes
			}
			result, err := setup.Init(s.ctx, s.stores, req)
			return present(s, result, err, s.printInit)
		}),
	})
}

func (s *session) printInit(r setup.InitResult) error {
	if r.Diff != "" {
		return s.printDiff(r.Diff)
	}
	if !s.global.quiet {
		s.print(initText(r))
	}
	s.notes(r.Notes)
	return nil
}

// initText says what init did.
func initText(r setup.InitResult) string {
	text := "memory file found: " + inert(r.Path) + " (" + r.Scope + ")\n"
	if r.Created {
		text = "memory file created: " + inert(r.Path) + " (" + r.Scope + ")\n"
	}
	text += committedText(r.Committed, r.Created)
	if r.Trusted {
		text += "trusted: your agents receive this memory\n"
	}
	if r.MergeDriver {
		text += "merges: git merges memory item by item here\n"
	}
	return text
}
