package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/character"
)

func newContextSummon(a *app) *cobra.Command {
	req := character.SummonRequest{}
	c := &cobra.Command{
		Use:   "summon NAME [DESCRIPTION]",
		Short: "Let a model write the files of a new agent",
		Long: `Summon creates a predefined agent. A model (docs/models.md) writes SOUL.md, IDENTITY.md,
AGENTS.md, TOOLS.md and HEARTBEAT.md from the description, in one call. memctl checks them
and makes one commit. If no model is configured or its answer is of no use, the files are the
templates.

With --edit the model writes the files of an agent that exists again, with the same or another
description. If that fails they stay as they are.`,
		Example: `  memctl context summon crab "a sarcastic Rust reviewer"
  memctl context summon crab --edit "a friendly Rust reviewer"`,
		RunE: a.run(needWrite, func(s *session, args []string) error {
			req.Options, req.As = s.Options, args[0]
			if len(args) > 1 {
				req.Description = args[1]
			} else if !req.Edit {
				return usage("DESCRIPTION", "say what the agent is for", `memctl context summon crab "a sarcastic Rust reviewer"`)
			}
			s.bringIn()
			return s.finish(character.Summon(s.ctx, s.stores, req))
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&req.Edit, "edit", false, "write the files of an agent that exists again")
	c.Flags().StringVar(&req.User, "user", "", "the first user `NAME` of the agent (default: memctl.context.user, else me)")
	return c
}
