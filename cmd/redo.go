package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/undo"
)

func newRedo(a *app) *cobra.Command {
	o := &writeOptions{}
	c := &cobra.Command{
		Use:   "redo",
		Short: "Reverse the last undo",
		Long: `Redo reverses the last undo of this worktree, with a commit of its own. Called again it
reverses the undo before that. It refuses where a key of the undo has changed since.
Only a person can redo, and undo takes a redo back.`,
		Example: `  memctl redo
  memctl redo --dry-run`,
		Args: takes(0, 0),
		RunE: a.run(needWrite, func(s *session, _ []string) error { return runRedo(s, o) }),
	}
	o.bind(c)
	return c
}

func runRedo(s *session, o *writeOptions) error {
	options, err := o.options(s.app, false)
	if err != nil {
		return err
	}
	writes, err := undo.Redo(s.ctx, s.stores, options)
	return s.finish(s.few(writes), err)
}
