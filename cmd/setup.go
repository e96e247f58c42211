package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/memory/setup"
)

func newSetup(a *app) *cobra.Command {
	o := &hooksOptions{usually: true}
	c := &cobra.Command{
		Use:   "setup",
		Short: "Create memory here, and connect your agents",
		Long: `Setup does what "memctl init" and "memctl hooks install" do, for the agents that you use.

At a terminal it asks one question: whether your agents may use memctl's tools without
asking you. Enter and --yes mean yes. Without a terminal and without --yes, the answer is
no. You can run setup again at any time.`,
		Example: `  memctl setup
  memctl setup --yes
  memctl setup --dry-run`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error { return runSetup(s, o) }),
	}
	bindDryRun(c, "print what would change, and change nothing")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask: answer yes")
	return c
}

func runSetup(s *session, o *hooksOptions) error {
	if err := s.refuseAgents(); err != nil {
		return err
	}
	result, err := setup.Init(s.ctx, s.stores, setup.InitRequest{Options: s.Options})
	if err := present(s, result, err, s.printInit); err != nil {
		return err
	}
	m := s.agentsMachine()
	if !slices.ContainsFunc(agents.All(), func(a *agents.Agent) bool { return hasSettings(m, a) }) {
		s.note("no-agent-here", "no coding agent's settings are in your home folder; start the agent that you use once, and run memctl setup again", "memctl hooks status --all")
		return nil
	}
	return runHooksInstall(s, o, nil)
}
