package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

type moveOptions struct {
	to string
}

func newMove(a *app) *cobra.Command {
	o := &moveOptions{}
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
		Args:              takes(1, -1),
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runMove(s, o, args) }),
		ValidArgsFunction: a.completeKeysAndIDs,
	}
	bindWrite(c)
	c.Flags().StringVar(&o.to, "to", "", "move to `SCOPE`: project, private or user")
	allow(c, "to", scopes()...)
	offer(c, "to", scopes()[:3]...)
	return c
}

func runMove(s *session, o *moveOptions, keys []string) error {
	if o.to == "" {
		return usage("move", "--to says which scope", prefixed("memctl move "+inert(keys[0])+" --to ", []string{"project", "private", "user"})...)
	}
	both := *s
	both.Scope = "" // where it comes from, and where it goes
	both.bringIn()
	return s.finish(edit.Move(s.ctx, s.stores, edit.MoveRequest{Options: s.Options, Keys: keys, To: o.to}))
}
