package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

func newMove(a *app) *cobra.Command {
	to := ""
	c := &cobra.Command{
		Use:   "move KEY|ID... --to SCOPE",
		Short: "Move items, facts and notes to another scope",
		Long: `Move takes items by key, and facts and notes by id, to another scope and makes one commit
in each store. Use --scope if a key exists in several scopes.

Moving to project shares what an agent learned with your team: the change is committed,
and you send it as a pull request.`,
		Example: `  memctl move tooling.formatter --to project
  memctl move 68e2cac8 --to project
  memctl move style.tone --to user --dry-run`,
		RunE: a.run(needWrite, func(s *session, keys []string) error {
			if to == "" {
				return usage("move", "--to says which scope", prefixed("memctl move "+inert(keys[0])+" --to ", scopes()[:3])...)
			}
			both := *s
			both.Scope = "" // where it comes from, and where it goes
			both.commitPending()
			return s.finish(edit.Move(s.ctx, s.stores, edit.MoveRequest{Options: s.Options, Keys: keys, To: to}))
		}),
	}
	bindWrite(c)
	c.Flags().StringVar(&to, "to", "", "move to `SCOPE`: project, private or user")
	allow(c, "to", scopes()...)
	offer(c, "to", scopes()[:3]...)
	return c
}
