package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/guidance/character"
)

type promptOptions struct {
	req   character.PromptRequest
	tools string
	extra string
}

func newPrompt(a *app) *cobra.Command {
	o := &promptOptions{}
	c := &cobra.Command{
		Use:   "prompt",
		Short: "Print the system prompt of an agent",
		Long: `Prompt prints a system prompt: the agent's identity, its tools, safety, skills and memory,
its context files, and what it should know of the user, the day and the machine. A program
that calls a model can use it for an agent of its own.

--minimal is for subagents and scheduled runs: it leaves out skills, memory, the user and
replies, and includes only AGENTS.md and TOOLS.md. With --json each section says whether
its text is stable, so that you can set a cache breakpoint after it.`,
		Example: `  memctl prompt
  memctl prompt --as reviewer --user ada --tools tools.json
  memctl prompt --minimal --extra task.md --json`,
		RunE: a.runner(needStores, func(s *session, _ []string) error { return runPrompt(s, o) }),
	}
	f := c.Flags()
	f.StringVar(&o.req.As, "as", "", "the agent `NAME` (default: memctl.context.agent, else default)")
	f.StringVar(&o.req.User, "user", "", "the user `NAME` of the agent (default: me)")
	f.BoolVar(&o.req.Minimal, "minimal", false, "print the prompt of a subagent or a scheduled run")
	f.StringVar(&o.tools, "tools", "", "list the tools in `FILE`: JSON as model APIs have it, or lines \"name: description\"")
	f.StringVar(&o.extra, "extra", "", "include the text in `FILE`; - is standard input")
	f.BoolVar(&o.req.Sandbox, "sandbox", false, "say that the tools run in a sandbox")
	return c
}

func runPrompt(s *session, o *promptOptions) error {
	if o.tools != "" {
		text, err := s.textFrom(o.tools)
		if err != nil {
			return err
		}
		o.req.Tools = []byte(text)
	}
	if o.extra != "" {
		text, err := s.textFrom(o.extra)
		if err != nil {
			return err
		}
		o.req.Extra = text
	}
	result, err := character.Prompt(s.ctx, s.stores, o.req)
	return present(s, result, err, s.printPrompt)
}

func (s *session) printPrompt(result character.PromptResult) error {
	s.warnings(result.Warnings)
	if text := result.LeftOut.Text(); text != "" {
		s.note("file-left-out", text)
	}
	switch untrusted := result.LeftOut.Untrusted; {
	case untrusted && s.stores.Repo() == nil: // trust is in a repository's git config
		s.hint("git init && memctl trust")
	case untrusted:
		s.hint("memctl trust")
	}
	return s.print(result.Text)
}
