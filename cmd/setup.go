package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/setup"
)

func newSetup(a *app) *cobra.Command {
	o := &hooksOptions{usually: true}
	c := &cobra.Command{
		Use:   "setup",
		Short: "Create memory here, and connect your agents",
		Long: `Setup does what "memctl init" and "memctl hooks install" do, for the agents that you use.
It also prints the last prompts that you gave to agents here.

At a terminal it asks one question: whether your agents may use memctl's tools without
asking you. Enter and --yes mean yes. Without a terminal the answer is no. You can run
setup again at any time.`,
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
	if err := runHooksInstall(s, o, nil); err != nil || s.dryRun() {
		return err
	}
	return s.showPastSessions()
}

// lastSaid is how many messages of past sessions setup shows.
const lastSaid = 3

// showPastSessions shows the last prompts of this project, as a proof that memctl finds them.
func (s *session) showPastSessions() error {
	stores, err := s.open(s.ctx) // with the settings as they are now
	if err != nil {
		return err
	}
	s.stores = stores
	past := s.historyOptions(false)
	res, err := briefing.Recall(s.ctx, s.stores, briefing.RecallOptions{Sessions: &past}, briefing.RecallRequest{K: lastSaid})
	if fault.Is(err, memory.RuleDisabled) {
		return nil // the person has turned it off
	}
	return present(s, res, err, func(res briefing.RecallResult) error {
		if len(res.Hits) == 0 {
			s.note("no-past-session", "start your agent here, and tell it what to remember")
			return nil
		}
		s.note("past-sessions", "past sessions of this project can be searched; you said last:", "memctl recall --history QUESTION")
		return s.printHits(res.Hits, false)
	})
}
