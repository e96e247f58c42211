package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory/reading/briefing"
)

type bootstrapOptions struct {
	req     briefing.BootstrapRequest
	context bool
}

func newBootstrap(a *app) *cobra.Command {
	o := &bootstrapOptions{}
	c := &cobra.Command{
		Use:   "bootstrap [--context [FILE...]]",
		Short: "Print the whole briefing that a session starts with",
		Long: `Bootstrap prints the briefing: the Active Profile, the pinned items, an overview of the
other memory, and context files if you ask for them. The receipt at the end counts the
items of each scope and names what is left out. In a repository that you trust, hooks
give agents the same text.`,
		Example: `  memctl bootstrap
  memctl bootstrap --agent claude --json
  memctl bootstrap --mode off --context AGENTS.md SOUL.md`,
		Args: func(c *cobra.Command, args []string) error {
			if o.context {
				return nil
			}
			return argumentCount(0, 0)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			need := needStores
			if o.req.Hook {
				need = needNothing // a hook opens them where the agent's session stands
			}
			return a.runner(need, func(s *session, args []string) error { return runBootstrap(s, o, args, c.Flags().Changed("agent")) })(c, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.req.Project, "project", "", "use `NAME` as the name of the project")
	f.StringVar(&o.req.Mode, "mode", "", "start in `MODE`: index, full or off (default: the setting memctl.mode)")
	f.StringVar(&o.req.Agent, "agent", "", "fit the briefing to `AGENT`: its size limit, and the files that it reads by itself (default: the connected agent; --agent= for any)")
	offer(c, "agent", agentNames()...)
	offer(c, "mode", briefing.ModeIndex, briefing.ModeFull, briefing.ModeOff)
	f.BoolVar(&o.context, "context", false, "include the named context files, or all of them (default: the setting memctl.context)")
	f.StringVar(&o.req.As, "as", "", "include the context files and skills of the agent `NAME` (default: memctl.context.agent, else default)")
	f.StringVar(&o.req.User, "user", "", "include the context files of the user `NAME` of that agent (default: me)")
	f.StringVar(&o.req.Notes, "notes", "", "include the notes of `DAY`, as in 2026-11-21 (default: the latest)")
	f.BoolVar(&o.req.Minimal, "minimal", false, "include only the context files AGENTS.md and TOOLS.md, for subagents and scheduled runs")
	f.BoolVar(&o.req.Hook, "hook", false, "act as memctl hook does: read the event from stdin, print JSON, never fail")
	return c
}

// runBootstrapHook answers as memctl's hook command does. The flags about the briefing
// override the settings.
func runBootstrapHook(s *session, o *bootstrapOptions) error {
	hook := &hookOptions{agent: o.req.Agent, event: briefing.EventSessionStart}
	if hook.agent == "" && agents.FromEnv(s.getenv) == "" {
		hook.agent = defaultAgent
	}
	said := map[string]string{store.Mode.Env: o.req.Mode, store.ContextFiles.Env: strings.Join(o.req.Context, ","), store.ContextAgent.Env: o.req.As}
	getenv := s.getenv
	s.app.getenv = func(name string) string {
		if text := said[name]; text != "" {
			return text
		}
		return getenv(name)
	}
	s.app.hook(s.ctx, hook)
	return nil
}

// defaultAgent is the agent whose form of answers a hook uses if none is named:
// other agents use the same form.
const defaultAgent = "claude"

func runBootstrap(s *session, o *bootstrapOptions, files []string, agentGiven bool) error {
	if o.context {
		o.req.Context = []string{"all"}
		if len(files) > 0 {
			o.req.Context = files
		}
	}
	if o.req.Hook {
		return runBootstrapHook(s, o)
	}
	if name := o.req.Agent; name != "" && agents.ByName(name) == nil {
		return usage("--agent "+name, "no such agent; use "+strings.Join(agentNames(), ", "))
	}
	if o.req.Agent != "" || !agentGiven {
		agent := s.sessionAgent(o.req.Agent)
		o.req.Agent, o.req.Tools = agent.Name, agent.Tools
	}
	o.req.Reader = s.Reader()
	result, err := briefing.Bootstrap(s.ctx, s.stores, o.req)
	return present(s, result, err, s.printBriefing)
}

func (s *session) printBriefing(result briefing.BootstrapResult) error {
	s.warnings(slices.Compact(result.Warnings))
	for _, f := range result.Context {
		s.note("context-file-size", fmt.Sprintf("context file %s: %d bytes, about %s", f.Name, f.Bytes, count(f.Tokens, "token")))
	}
	if result.Text == "" {
		s.note("empty-briefing", "nothing to show", "memctl show")
		return nil
	}
	// The text is safe as it stands: it is what agents read.
	return s.print(result.Text)
}
