package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
)

func newUndo(a *app) *cobra.Command {
	o := &writeOptions{}
	c := &cobra.Command{
		Use:   "undo [COMMIT]",
		Short: "Take back the last act, or the one of a commit",
		Long: `Undo takes back the last act of this worktree that is not undone yet, with a commit
of its own: history is never rewritten. Called again it takes back the one before.`,
		Example: `  memctl undo
  memctl undo 3f2a1bc9
  memctl undo --dry-run`,
		Args: takes(0, 1),
		RunE: a.run(needWrite, func(s *session, args []string) error { return runUndo(s, o, args) }),
	}
	o.bind(c)
	return c
}

func runUndo(s *session, o *writeOptions, args []string) error {
	options, err := o.options(s.app, false)
	if err != nil {
		return err
	}
	req := memory.UndoRequest{Options: options}
	if len(args) == 1 {
		req.Commit = args[0]
		s.keys = nil
	}
	return s.finish(memory.Undo(s.ctx, s.stores, req))
}

type restoreOptions struct {
	write writeOptions
	rev   string
	from  string
}

func newRestore(a *app) *cobra.Command {
	o := &restoreOptions{}
	c := &cobra.Command{
		Use:   "restore KEY|ID",
		Short: "Bring one item or fact back as it was",
		Long: `Restore brings an item, or a fact by its id, back as it last stood, or as it was at a
revision, and lifts its tombstone. Only a person can restore. With --from journal it
comes from the journal of all writes, which a reset or a deleted branch leaves alone;
a fact is found there by its text too.`,
		Example: `  memctl restore writing.tone
  memctl restore 68e2cac8
  memctl restore writing.tone --rev HEAD~3
  memctl restore writing.tone --from journal
  memctl restore "the tests need Docker running" --from journal`,
		Args:              takes(1, 1),
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runRestore(s, o, args) }),
		ValidArgsFunction: a.completeOneKey,
	}
	o.write.bind(c)
	c.Flags().StringVar(&o.rev, "rev", "", "as it was at this `REV`")
	c.Flags().StringVar(&o.from, "from", "", "`PLACE`: journal, the journal of all writes")
	c.MarkFlagsMutuallyExclusive("rev", "from")
	return c
}

func runRestore(s *session, o *restoreOptions, args []string) error {
	if err := oneOf("--from", o.from, "journal"); err != nil {
		return err
	}
	options, err := o.write.options(s.app, false)
	if err != nil {
		return err
	}
	return s.finishOne(memory.Restore(s.ctx, s.stores, memory.RestoreRequest{Options: options, Key: args[0], Rev: o.rev, Journal: o.from != ""}))
}
