package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory/guidance/skill"
)

func newSkillsAdd(a *app) *cobra.Command {
	req, yes := skill.AddRequest{}, false
	c := &cobra.Command{
		Use:   "add REPOSITORY[@COMMIT]|FOLDER [NAME...]",
		Short: "Install skills from a repository or a folder",
		Long: `Add copies the named skills, or all skills of the source, into your user store, where every
agent finds them by search. With --scope project it copies them into .agents/skills of the
project. It makes one commit.

The source is an address of https or ssh, or a local path; COMMIT can also be a branch or a
tag. memctl reads the files from git's objects: it checks nothing out, runs no filter or
hook, and fetches no submodule. It refuses links, files over 1 MB, skills whose name
differs from their folder, and what "memctl skills check" refuses. It lists the programs
and asks one question. Programs are installed without the permission to run. An installed
skill of the same name is replaced.`,
		Example: `  memctl skills add https://github.com/anthropics/skills pdf
  memctl skills add git@example.com:team/skills.git@v2 --scope project
  memctl skills add ../skills/deploy --dry-run`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			s.act = "skills"
			req.Options, req.Network, req.Source, req.Names = s.Options, remotes.Network{Ask: s.mayAsk()}, args[0], args[1:]
			switch {
			case yes || s.dryRun() || !s.Explicit():
			case !s.mayAsk():
				return usage("--yes", "needed where nobody can be asked", "memctl skills add "+shell.Quote(args[0])+" --yes")
			default:
				req.Confirm = s.confirmSkills
			}
			s.commitPending()
			return s.finishOne(skill.Add(s.ctx, s.stores, req))
		}),
	}
	bindWrite(c)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&req.Accept, "accept", false, "install skills although a check refuses them; read the findings first")
	return c
}

func newSkillsRemove(a *app) *cobra.Command {
	return bindWrite(&cobra.Command{
		Use:   "remove NAME",
		Short: "Delete a skill",
		Long: `Remove deletes a skill's folder from the project or from your user store, in one commit
that "memctl undo" reverts. If both have a skill of this name, it deletes the project's;
--scope names the other. Delete other skills by hand.`,
		Example: `  memctl skills remove pdf
  memctl skills remove pdf --scope user --dry-run`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			s.commitPending()
			return s.finishOne(skill.Remove(s.ctx, s.stores, s.Options, args[0]))
		}),
	})
}

// confirmSkills lists what would be installed, and asks.
func (s *session) confirmSkills(o skill.Offer) bool {
	s.talk("skills: " + strings.Join(o.Skills, ", "))
	if len(o.Scripts) > 0 {
		s.talk("programs that an agent may run:")
		for _, name := range o.Scripts {
			s.talk("  " + name)
		}
	}
	if len(o.Replace) > 0 {
		s.talk("replaces: " + strings.Join(o.Replace, ", "))
	}
	return s.confirmYes(fmt.Sprintf("Install %s in %s?", count(len(o.Skills), "skill"), o.Into))
}
