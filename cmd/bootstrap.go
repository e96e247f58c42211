package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
)

type bootstrapOptions struct {
	req     memory.BootstrapRequest
	context bool
}

func newBootstrap(a *app) *cobra.Command {
	o := &bootstrapOptions{}
	c := &cobra.Command{
		Use:   "bootstrap [--context [FILE...]]",
		Short: "Print all that a session starts with",
		Long: `Bootstrap prints the briefing: the Active Profile, what is pinned, and what else is
recorded, with a receipt that says what came from where and what stood back. Agents
are handed the same by their hooks, from a repository that you trust.`,
		Example: `  memctl bootstrap
  memctl bootstrap --agent claude --json
  memctl bootstrap --mode off --context AGENTS.md SOUL.md`,
		Args: func(c *cobra.Command, args []string) error {
			if o.context {
				return nil
			}
			return takes(0, 0)(c, args)
		},
		RunE: a.run(needNothing, func(s *session, args []string) error { return runBootstrap(s, o, args) }),
	}
	f := c.Flags()
	f.StringVar(&o.req.Project, "project", "", "call the project `NAME`")
	f.StringVar(&o.req.Mode, "mode", "", "`MODE`: index, full or off (default: the setting memctl.mode)")
	f.StringVar(&o.req.Agent, "agent", "", "fit the briefing to the agent `NAME`: its limit, and what it reads by itself")
	f.BoolVar(&o.context, "context", false, "include the context files that are named, or all (default: the setting memctl.context)")
	f.BoolVar(&o.req.Minimal, "minimal", false, "for subagents and scheduled runs: of context files, AGENTS.md and TOOLS.md only")
	f.BoolVar(&o.req.Hook, "hook", false, "answer as an agent's hook: as JSON, from what is trusted, and never with an error")
	return c
}

// hookAnswer is what an agent's hook prints.
type hookAnswer struct {
	Output hookOutput `json:"hookSpecificOutput"`
}

type hookOutput struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

func runBootstrap(s *session, o *bootstrapOptions, files []string) error {
	if o.context {
		o.req.Context = []string{"all"}
		if len(files) > 0 {
			o.req.Context = files
		}
	}
	result, err := bootstrap(s, o.req)
	switch {
	case o.req.Hook:
		if err != nil || result.Text == "" {
			return nil // a hook never hurts a session
		}
		return s.printJSON(hookAnswer{hookOutput{memory.EventSessionStart, result.Text}})
	case err != nil:
		return err
	case s.global.json:
		return s.printJSON(result)
	}
	for _, w := range slices.Compact(result.Warnings) {
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

func bootstrap(s *session, req memory.BootstrapRequest) (memory.BootstrapResult, error) {
	var err error
	if s.stores, err = s.open(s.ctx); err != nil {
		return memory.BootstrapResult{}, err
	}
	return memory.Bootstrap(s.ctx, s.stores, req)
}
