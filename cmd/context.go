package cmd

import (
	"fmt"
	"io"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/guidance/character"
)

func newContext(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "context",
		Short: "Write the files that give an agent its character",
		Long: `Context files are Markdown files that tell an agent who it is and how it works: AGENTS.md,
SOUL.md, TOOLS.md, IDENTITY.md, USER.md, RULES.md, HEARTBEAT.md and BOOTSTRAP.md.
"memctl prompt" makes a system prompt of them, and with the setting memctl.context hooks
give them to your coding agents.

memctl looks in these places. If several have the same file, the first wins:
  memories/context/AGENT/users/USER/   of the private, then the user store
  memories/context/AGENT/              of the project, the private, then the user store
  the project's root
  ~/.config/memctl/                    or the folder of the setting memctl.context.dir
Files of a project count only after "memctl trust".`,
		Example: `  memctl context init
  memctl context init --agent reviewer --type predefined
  memctl context list
  memctl context edit SOUL.md`,
	}, newContextInit(a), newContextList(a), newContextAgents(a), newContextShow(a), newContextEdit(a), newContextDone(a), newContextSummon(a))
}

// bindWho adds the flags that name an agent and a user.
func bindWho(c *cobra.Command, who *character.Who) {
	c.Flags().StringVar(&who.As, "agent", "", "the agent `NAME` (default: memctl.context.agent, else default)")
	c.Flags().StringVar(&who.User, "user", "", "the user `NAME` of the agent (default: me)")
}

func newContextInit(a *app) *cobra.Command {
	req := character.InitRequest{}
	c := &cobra.Command{
		Use:   "init [NAME...]",
		Short: "Write templates of context files",
		Long: `Init writes the templates with these names, or all seven: AGENTS.md, SOUL.md, TOOLS.md,
IDENTITY.md, USER.md, HEARTBEAT.md and BOOTSTRAP.md. It never changes a file that exists.

With an open agent, each user has all files of their own, in the user store (--scope
private: in the private store). With a predefined agent, six files belong to the agent, and
agents cannot change them; each user has only USER.md and BOOTSTRAP.md. The agent's own
files go to the project, or outside a repository to the user store. A user's files are never
in a project.

BOOTSTRAP.md is for the first run: an agent does what it says, and then it is deleted.`,
		Example: `  memctl context init
  memctl context init SOUL.md USER.md
  memctl context init --agent reviewer --type predefined --description "reviews Go code"
  memctl context init --agent reviewer --user ada`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			req.Options, req.Names = s.Options, args
			s.commitPending()
			return s.finish(character.Init(s.ctx, s.stores, req))
		}),
	}
	bindWrite(c)
	bindWho(c, &req.Who)
	c.Flags().StringVar(&req.Type, "type", "", "the type of a new agent: `TYPE` is open (default) or predefined")
	c.Flags().StringVar(&req.Description, "description", "", "what a new agent is for, as `TEXT` that other agents see")
	allow(c, "type", contextfile.Open, contextfile.Predefined)
	return c
}

func newContextList(a *app) *cobra.Command {
	who := character.Who{}
	c := &cobra.Command{
		Use:   "list",
		Short: "List an agent's context files with their size",
		Long: `List prints each context file that the agent gets, with its place and size. Tokens are an
estimate (bytes / 3.5).`,
		Example: `  memctl context list
  memctl context list --agent reviewer --user ada --json`,
		RunE: reads(a, func(s *session, _ []string) (character.ListResult, error) {
			return character.List(s.ctx, s.stores, who)
		}, (*session).printContextFiles),
	}
	bindWho(c, &who)
	return c
}

func (s *session) printContextFiles(result character.ListResult) error {
	s.warnings(result.Warnings)
	if len(result.Files) == 0 {
		s.note("no-context-files", "there are no context files", "memctl context init")
		return nil
	}
	var t term.Table
	for _, f := range result.Files {
		said := f.From + ", " + count(f.Characters, "character") + ", about " + count(f.Tokens, "token")
		t.AddCells(term.Cell{Text: f.Name, Style: term.Strong}, term.Cell{Text: said}, term.Cell{Text: inert(f.Path), Style: term.Faint})
	}
	s.talk(fmt.Sprintf("agent %s (%s), user %s: about %s", inert(result.Agent.Name), result.Agent.Type, inert(result.User), count(result.Tokens, "token")))
	return s.printTable(&t)
}

func newContextAgents(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "agents [WORD...]",
		Short: "List the agents that have an agent.md",
		Long: `Agents prints the agents that have an agent.md, with their type and description. If you
give WORDs, it prints only agents whose name or description has all of them.`,
		Example: `  memctl context agents
  memctl context agents review go --json`,
		RunE: reads(a, func(s *session, args []string) (character.AgentsResult, error) {
			return character.Agents(s.ctx, s.stores, args)
		}, (*session).printContextAgents),
	}
}

func (s *session) printContextAgents(result character.AgentsResult) error {
	if len(result.Agents) == 0 {
		s.note("no-agent", "no agent matches", "memctl context init --agent NAME --type predefined")
	}
	var t term.Table
	for _, agent := range result.Agents {
		t.AddCells(term.Cell{Text: inert(agent.Name), Style: term.Strong}, term.Cell{Text: agent.Type + ", " + agent.Scope, Style: term.Faint}, term.Cell{Text: inert(agent.Description)})
	}
	return s.printTable(&t)
}

func newContextShow(a *app) *cobra.Command {
	who := character.Who{}
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a context file as the agent gets it",
		Long: `Show prints the context file that wins, without hidden characters and in its full length. A
file with a secret is not printed.`,
		Example: `  memctl context show SOUL.md
  memctl context show user --agent reviewer --user ada`,
		RunE: reads(a, func(s *session, args []string) (character.ShowResult, error) {
			result, err := character.Show(s.ctx, s.stores, who, args[0])
			return result, memory.AsError(args[0], err)
		}, func(s *session, r character.ShowResult) error { return s.print(inertLines(r.Text) + "\n") }),
	}
	bindWho(c, &who)
	return c
}

func newContextEdit(a *app) *cobra.Command {
	req, from := character.EditRequest{}, ""
	c := &cobra.Command{
		Use:   "edit NAME",
		Short: "Change a context file in your editor, or from a file",
		Long: `Edit opens your editor on a context file, or with --from reads its new text, and commits
it. It changes the user's copy of the file. If the agent is predefined, it changes the
agent's own file, except USER.md and BOOTSTRAP.md. agent.md describes the agent.

memctl refuses secrets and hidden text. If somebody changed the file while your editor was
open, memctl keeps that change, and prints the path of a file with your text. An empty
BOOTSTRAP.md ends the first run, as "memctl context done" does. An agent uses --from, and
cannot change the files of an agent that is locked.`,
		Example: `  memctl context edit SOUL.md
  memctl context edit USER.md --from notes.md
  echo "Name: Ada" | memctl context edit USER.md --agent reviewer --user ada --from -`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			req.Options, req.Name = s.Options, args[0]
			return runContextEdit(s, req, from)
		}),
	}
	bindWrite(c)
	bindWho(c, &req.Who)
	c.Flags().StringVar(&from, "from", "", "read the text from `FILE`; - is standard input")
	return c
}

func runContextEdit(s *session, req character.EditRequest, from string) error {
	keep := func(text string) (memory.Write, error) {
		req.Text = text
		s.commitPending()
		return character.Edit(s.ctx, s.stores, req)
	}
	if from != "" {
		text, err := s.textFrom(from)
		if err != nil {
			return err
		}
		return s.finishOne(keep(text))
	}
	if err := onlyPerson(req.Options, "edit", "memctl context edit "+inert(req.Name)); err != nil {
		return err
	}
	_, file, text, err := character.Editable(s.ctx, s.stores, req)
	if err != nil {
		return memory.AsError(req.Name, err)
	}
	req.Started = &text
	return s.editText(path.Base(file), text, "md", nil, keep)
}

// textFrom reads a text from a file, or from standard input.
func (s *session) textFrom(name string) (string, error) {
	if name == "-" {
		data, err := io.ReadAll(s.streams.In)
		return string(data), err
	}
	data, err := os.ReadFile(s.stores.Abs(name))
	return string(data), err
}

func newContextDone(a *app) *cobra.Command {
	who := character.Who{}
	c := &cobra.Command{
		Use:   "done",
		Short: "End an agent's first run",
		Long: `Done deletes the user's BOOTSTRAP.md and commits that. The agent then gets the prompt of
an ordinary session. An agent may run it at the end of its first run.`,
		Example: `  memctl context done
  memctl context done --agent reviewer --user ada`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error {
			return s.finishOne(character.Done(s.ctx, s.stores, s.Options, who))
		}),
	}
	bindWrite(c)
	bindWho(c, &who)
	return c
}

func newContextSummon(a *app) *cobra.Command {
	req := character.SummonRequest{}
	c := &cobra.Command{
		Use:   "summon NAME [DESCRIPTION]",
		Short: "Let a model write the files of a new agent",
		Long: `Summon creates a predefined agent. A model (docs/models.md) writes SOUL.md, IDENTITY.md,
AGENTS.md, TOOLS.md and HEARTBEAT.md from the description, in one call. memctl checks them
and makes one commit. If no model is configured or its answer is of no use, the files are the
templates.

With --edit the model rewrites the files of an existing agent, with the same or another
description. If that fails, the files stay as they are.`,
		Example: `  memctl context summon crab "a sarcastic Rust reviewer"
  memctl context summon crab --edit "a friendly Rust reviewer"`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			req.Options, req.As = s.Options, args[0]
			if len(args) > 1 {
				req.Description = args[1]
			} else if !req.Edit {
				return usage("DESCRIPTION", "say what the agent is for", `memctl context summon crab "a sarcastic Rust reviewer"`)
			}
			s.commitPending()
			return s.finish(character.Summon(s.ctx, s.stores, req))
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&req.Edit, "edit", false, "rewrite the files of an existing agent")
	c.Flags().StringVar(&req.User, "user", "", "the first user `NAME` of the agent (default: me)")
	return c
}
