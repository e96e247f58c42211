package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
)

type bootstrapOptions struct {
	req     memory.BootstrapRequest
	context []string
}

func newBootstrap(a *app) *cobra.Command {
	o := &bootstrapOptions{}
	c := &cobra.Command{
		Use:   "bootstrap",
		Short: "Print all that a session starts with",
		Long: `Bootstrap prints the briefing: the Active Profile, what is pinned, and what else is
recorded, with a receipt that says what came from where and what stood back. Agents
are handed the same by their hooks.`,
		Example: `  memctl bootstrap
  memctl bootstrap --agent claude --json
  memctl bootstrap --mode off --context AGENTS.md,SOUL.md`,
		Args: takes(0, 0),
		RunE: a.run(needStores, func(s *session, _ []string) error { return runBootstrap(s, o) }),
	}
	f := c.Flags()
	f.StringVar(&o.req.Project, "project", "", "call the project `NAME`")
	f.StringVar(&o.req.Mode, "mode", "", "index, full or off (default: the setting memctl.mode)")
	f.StringVar(&o.req.Agent, "agent", "", "fit the briefing to the agent `NAME`: its limit, and what it reads by itself")
	f.StringSliceVar(&o.context, "context", nil, "include these context `FILES` (default: the setting memctl.context)")
	f.StringVar(&o.req.Notes, "notes", "", "include the notes of the day `DATE`")
	f.BoolVar(&o.req.Minimal, "minimal", false, "for subagents and scheduled runs: of context files, AGENTS.md and TOOLS.md only")
	return c
}

func runBootstrap(s *session, o *bootstrapOptions) error {
	if len(o.context) > 0 {
		o.req.Context = o.context
	}
	result, err := memory.Bootstrap(s.ctx, s.stores, o.req)
	if err != nil {
		return err
	}
	if s.global.json {
		return s.printJSON(result)
	}
	for _, w := range result.Warnings {
		s.talk("warning: " + w)
	}
	if result.Text == "" {
		s.talk("note: nothing to show")
		s.hint("memctl show")
		return nil
	}
	// The text is safe as it stands: it is what agents read.
	return s.print(result.Text)
}
