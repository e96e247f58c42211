package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/undo"
)

func newRedo(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "redo",
		Short: "Redo the last undo",
		Long: `Redo reverts the last undo of this worktree, with a new commit. Run it again to revert the
undo before that. It refuses if one of the items has changed since. Only a person can
redo; undo reverts a redo.`,
		Example: `  memctl redo
  memctl redo --dry-run`,
		RunE: a.run(needWrite, func(s *session, _ []string) error {
			writes, err := undo.Redo(s.ctx, s.stores, s.Options)
			return s.finish(s.few(writes), err)
		}),
	}
	bindWrite(c)
	return c
}
