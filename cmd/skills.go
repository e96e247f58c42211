package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/skills/format"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/guidance/skill"
	"github.com/memctl/memctl/memory/reading/briefing"
)

func newSkills(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "skills",
		Short: "List, search, check and install skills",
		Long: `A skill is a folder with a SKILL.md that tells an agent how to do one kind of task.

memctl finds skills in these folders. If several have a skill of one name, the first wins:
  skills/                             of the project
  .agents/skills/, .claude/skills/    of the project
  ~/.agents/skills/                   yours, for every project
  skills/ of your user store          installed with "memctl skills add"
  shared                              copied with "memctl index pull"
  built in                            memctl's own skill
Skills of a project count only after "memctl trust".`,
		Example: `  memctl skills list
  memctl skills search "fill in a PDF form"
  memctl skills check
  memctl skills add https://github.com/anthropics/skills pdf`,
	}, newSkillsList(a), newSkillsShow(a), newSkillsSearch(a), newSkillsCheck(a), newSkillsGrant(a, false), newSkillsGrant(a, true), newSkillsAdd(a), newSkillsRemove(a))
}

// caller is the agent that runs the command; "" for a person.
func (s *session) caller() string {
	if s.Explicit() {
		return ""
	}
	return cmp.Or(s.Origin.Name, "agent")
}

func newSkillsList(a *app) *cobra.Command {
	req := skill.ListRequest{}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the skills, and why some are left out",
		Long: `List prints each skill with its tier and description. If agents are not offered a skill,
it prints the reason. With --agent and --user it lists what that coding agent and that
user may use. With --as it lists what an agent of yours may use; the agent.md can name the
skills.`,
		Example: `  memctl skills list
  memctl skills list --agent claude --json`,
		RunE: reads(a, func(s *session, _ []string) (skill.ListResult, error) {
			req.Caller = s.caller()
			return skill.List(s.ctx, s.stores, req)
		}, (*session).printSkills),
	}
	c.Flags().StringVar(&req.Agent, "agent", "", "list what the coding agent `NAME` may use")
	bindAs(c, &req.As)
	c.Flags().StringVar(&req.User, "user", "", "list what the user `NAME` may use")
	offer(c, "agent", agentNames()...)
	return c
}

func (s *session) printSkills(result skill.ListResult) error {
	var t term.Table
	for _, v := range result.Skills {
		why := v.Tier
		if v.Repository != "" {
			why += " (" + v.Repository + ")"
		}
		if v.Why != "" {
			why += ", left out: " + v.Why
		}
		if v.Detail != "" {
			why += " (" + v.Detail + ")"
		}
		t.AddCells(term.Cell{Text: inert(v.Name), Style: term.Strong}, term.Cell{Text: inert(why), Style: term.Faint}, term.Cell{Text: inert(v.Description)})
	}
	return s.printTable(&t)
}

// bindAs adds the flag for the agent whose skills are meant.
func bindAs(c *cobra.Command, as *string) {
	c.Flags().StringVar(as, "as", "", "use the skills that the agent `NAME` may use (default: memctl.context.agent)")
}

func newSkillsShow(a *app) *cobra.Command {
	as := ""
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a skill's instructions",
		Long: `Show prints the SKILL.md of a skill. {baseDir} in it is replaced by the skill's folder. An
agent gets no skill that "memctl skills check" refuses.`,
		Example: `  memctl skills show memctl
  memctl skills show pdf --json`,
		RunE: reads(a, func(s *session, args []string) (skill.ShowResult, error) {
			return skill.Show(s.ctx, s.stores, args[0], s.caller(), as)
		},
			func(s *session, r skill.ShowResult) error { return s.print(inertLines(r.Text) + "\n") }),
	}
	bindAs(c, &as)
	return c
}

func newSkillsSearch(a *app) *cobra.Command {
	as := ""
	c := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find skills for a task",
		Long: `Search prints the five skills whose names and descriptions fit the query best. It ranks
them by BM25, and by meaning too if an embedder is set.`,
		Example: `  memctl skills search fill in a PDF form
  memctl skills search "review a database migration" --json`,
		RunE: reads(a, func(s *session, args []string) (briefing.SkillsFound, error) {
			return briefing.SearchSkills(s.ctx, s.stores, strings.Join(args, " "), s.caller(), as)
		}, (*session).printFoundSkills),
	}
	bindAs(c, &as)
	return c
}

func (s *session) printFoundSkills(result briefing.SkillsFound) error {
	s.warnings(result.Warnings)
	if len(result.Skills) == 0 {
		s.note("no-skill", "no skill matches", "memctl skills list")
	}
	var t term.Table
	for _, h := range result.Skills {
		t.AddCells(term.Cell{Text: fmt.Sprintf("%.2f", h.Score), Style: term.Faint}, term.Cell{Text: inert(h.Name), Style: term.Strong}, term.Cell{Text: inert(h.Description)})
	}
	return s.printTable(&t)
}

func newSkillsCheck(a *app) *cobra.Command {
	format, accept := "", false
	c := &cobra.Command{
		Use:   "check [NAME|PATH...]",
		Short: "Check skills for errors and hostile content",
		Long: `Check reads every file of the named skills, or of the skills in the named folders. Without
a name it reads all skills: yours, the project's, and the shared skills in use. It prints
one line for each finding, and exits with 1 if a finding is an error.

It looks for errors in the form, large files, links that lead out of the skill, programs
that run what they fetch, hidden text, secrets, and text that tells an agent to hide
something from you or to disable protection. docs/skills.md has all rules.

An agent gets no skill with an error. With --accept you accept one skill, by its name, as it
is now: your agents on this machine then get it.`,
		Example: `  memctl skills check
  memctl skills check .agents/skills/pdf
  memctl skills check pdf --accept`,
		RunE: func(c *cobra.Command, args []string) error {
			need := needStores
			if accept {
				need = needWrite
			}
			return a.runner(need, func(s *session, args []string) error { return runSkillsCheck(s, format, accept, args) })(c, args)
		},
	}
	c.Flags().StringVar(&format, "format", formatText, "print `FORMAT`: text or github (annotations)")
	allow(c, "format", validateFormats()...)
	c.Flags().BoolVar(&accept, "accept", false, "let your agents use the skill NAME although it has errors")
	bindDryRun(c, "with --accept: print what would be accepted")
	return c
}

func runSkillsCheck(s *session, format string, accept bool, paths []string) error {
	if accept {
		if len(paths) != 1 {
			return usage("--accept", "use it with the name of one skill", "memctl skills check pdf --accept")
		}
		return s.finishOne(skill.Accept(s.ctx, s.stores, s.Options, paths[0], ""))
	}
	result, err := skill.Check(s.ctx, s.stores, paths)
	if err != nil {
		return err
	}
	return s.printFindings(format, result, count(result.Count, "skill"), result.Findings)
}

func newSkillsGrant(a *app, revoke bool) *cobra.Command {
	grant := format.Grant{}
	c := &cobra.Command{
		Use:   "grant NAME (--agent AGENT | --user USER)",
		Short: "Let an agent or a user use an internal skill",
		Long: `Grant adds a grant to the front matter of the skill, in one commit. A skill with visibility
internal is offered only to those who have a grant and to its owner. With --version the
agent gets the skill as it is in that commit.

Whoever can read the repository can read the skill: only a store of its own keeps it
private.`,
		Example: `  memctl skills grant deploy --agent claude
  memctl skills grant deploy --user ada@example.com
  memctl skills grant deploy --agent codex --version v1.2`,
	}
	if revoke {
		c.Use, c.Short = "revoke NAME (--agent AGENT | --user USER)", "Remove a grant of a skill"
		c.Long = `Revoke removes a grant from the front matter of the skill, in one commit.`
		c.Example = "  memctl skills revoke deploy --agent claude"
	} else {
		c.Flags().StringVar(&grant.Version, "version", "", "pin the version of `REV`")
	}
	c.RunE = a.runner(needWrite, func(s *session, args []string) error {
		if (grant.Agent == "") == (grant.User == "") {
			return usage(c.Name(), "needs either --agent or --user", helpCommandFor(c))
		}
		s.commitPending()
		return s.finishOne(skill.SetGrant(s.ctx, s.stores, skill.GrantRequest{Options: s.Options, Name: args[0], Grant: grant, Revoke: revoke}))
	})
	bindMessage(c)
	c.Flags().StringVar(&grant.Agent, "agent", "", "the agent `NAME`, such as claude")
	c.Flags().StringVar(&grant.User, "user", "", "the user `NAME`: a name or mail address of git's settings")
	offer(c, "agent", agentNames()...)
	return c
}
