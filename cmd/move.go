package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/acts/edit"
)

func newMove(a *app) *cobra.Command {
	to, as, lift := "", "", false
	c := &cobra.Command{
		Use:   "move KEY|ID... (--to SCOPE | --as KEY)",
		Short: "Move memories to another scope, or give an item another key",
		Long: `Move takes items by key, and facts and notes by id, to another scope and makes one commit
in each store. Use --scope if a key exists in several scopes.

Move memories to project to share them with your team: memctl commits the change, and you
send it as a pull request.

With --as, an item gets another key in its scope and keeps everything else. Its history
follows, and the old key can be used again.`,
		Example: `  memctl move tooling.formatter --to project
  memctl move 68e2cac8 --to project
  memctl move style.tone --to user --dry-run
  memctl move testing.run --as testing.command`,
		RunE: a.runner(needWrite, func(s *session, keys []string) error {
			switch {
			case as != "" && len(keys) > 1:
				return usage("--as", "use it with one key")
			case as != "":
				s.commitPending()
				return s.finishOne(edit.Rename(s.ctx, s.stores, edit.RenameRequest{Options: s.Options, Key: keys[0], New: as, Lift: lift}))
			case to == "":
				return usage("move", "--to says which scope, --as which key", prefixed("memctl move "+inert(keys[0])+" --to ", scopes()[:3])...)
			}
			both := *s
			both.Scope = "" // where it comes from, and where it goes
			both.commitPending()
			return s.finish(edit.Move(s.ctx, s.stores, edit.MoveRequest{Options: s.Options, Keys: keys, To: to}))
		}),
	}
	bindWrite(c)
	c.Flags().StringVar(&to, "to", "", "move to `SCOPE`: project, private or user")
	c.Flags().StringVar(&as, "as", "", "give the item the key `KEY`")
	c.Flags().BoolVar(&lift, "lift", false, "with --as: allow a forgotten key, and remove its tombstone")
	allow(c, "to", scopes()...)
	c.MarkFlagsMutuallyExclusive("to", "as")
	c.MarkFlagsMutuallyExclusive("to", "lift")
	offer(c, "to", scopes()[:3]...)
	return c
}
