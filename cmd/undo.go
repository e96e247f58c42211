package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/acts/undo"
)

func newUndo(a *app) *cobra.Command {
	redo := false
	c := bindWrite(&cobra.Command{
		Use:   "undo [COMMIT]",
		Short: "Undo the last change, or the change of a commit",
		Long: `Undo reverts the last change of memory that memctl made in this worktree. It makes a new
commit of memory's files; your other files and the older commits stay as they are. Run it
again to undo the change before that.

"memctl undo --redo" reverts the last undo.`,
		Example: `  memctl undo
  memctl undo 3f2a1bc9
  memctl undo --dry-run`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			if len(args) > 0 {
				s.keys = nil
			}
			if redo && len(args) > 0 {
				return usage("--redo", "goes without a COMMIT", "memctl undo --redo")
			}
			if redo {
				writes, err := undo.Redo(s.ctx, s.stores, s.Options)
				return s.finish(writes, err)
			}
			writes, err := undo.Undo(s.ctx, s.stores, undo.UndoRequest{Options: s.Options, Commit: strings.Join(args, "")})
			return s.finish(writes, err)
		}),
	})
	c.Flags().BoolVar(&redo, "redo", false, "revert the last undo")
	return c
}

func newRestore(a *app) *cobra.Command {
	req, from := undo.RestoreRequest{}, ""
	c := &cobra.Command{
		Use:   "restore [KEY|ID|TEXT]",
		Short: "Restore a forgotten or changed item or fact",
		Long: `Restore brings back an item by key, or a fact by id or text, with its last value or that
of a revision, and removes its tombstone. Only a person can restore.

With --from journal the value comes from the journal, which records every write on this
machine and survives git reset and deleted branches. Without a name, --from journal
restores everything that this branch has lost.`,
		Example: `  memctl restore writing.tone
  memctl restore 68e2cac8
  memctl restore writing.tone --rev HEAD~3
  memctl restore writing.tone --from journal
  memctl restore --from journal
  memctl restore "the tests need Docker running" --from journal`,
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runRestore(s, req, from, args) }),
	}
	bindWrite(c)
	c.Flags().StringVar(&req.Rev, "rev", "", "restore the value of the revision `REV`")
	c.Flags().StringVar(&from, "from", "", "restore from `PLACE`: journal (every write on this machine)")
	allow(c, "from", "journal")
	c.MarkFlagsMutuallyExclusive("rev", "from")
	return c
}

func runRestore(s *session, req undo.RestoreRequest, from string, args []string) error {
	req.Options, req.Journal = s.Options, from != ""
	if len(args) == 0 {
		if !req.Journal {
			return usage("restore", "needs a KEY, an ID or a TEXT", "memctl restore --from journal")
		}
		s.keys = nil
		s.commitPending()
		return s.finish(undo.RestoreLost(s.ctx, s.stores, req))
	}
	req.Key = args[0]
	s.commitPending()
	return s.finishOne(undo.Restore(s.ctx, s.stores, req))
}
