package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
)

func newUser(a *app) *cobra.Command {
	return bindWrite(&cobra.Command{
		Use:   "user [FIELD=VALUE...]",
		Short: "Show or set what is known about you",
		Long: `User shows the items user.* as one profile, and sets them.

Fields with one value:
  ` + strings.Join(setup.UserFields()[:7], ", ") + `
Fields to which a new value is added:
  ` + strings.Join(setup.UserFields()[7:], ", ") + `

They are stored in your user store, never in the project.`,
		Example: `  memctl user
  memctl user name=Ada role="backend developer"
  memctl user skills=go,sql`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.run(needWrite, runSetUser)(c, args)
			}
			return reads(a, func(s *session, _ []string) (setup.UserResult, error) { return setup.User(s.ctx, s.stores) }, (*session).printUser)(c, args)
		},
	})
}

func runSetUser(s *session, args []string) error {
	for _, arg := range args {
		if _, _, ok := strings.Cut(arg, "="); !ok {
			return usage(arg, "use the form FIELD=VALUE", "memctl user name=Ada")
		}
	}
	s.commitPending()
	var writes []memory.Write
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		w, err := setup.SetUser(s.ctx, s.stores, s.Options, name, value)
		if err != nil {
			return s.finish(writes, err)
		}
		writes = append(writes, w)
	}
	return s.finish(writes, nil)
}

func (s *session) printUser(result setup.UserResult) error {
	if len(result.Fields) == 0 {
		s.note("nothing-about-you", "nothing is known about you yet", "memctl user name=Ada skills=go,sql")
	}
	var t term.Table
	for _, f := range result.Fields {
		text := inert(strings.Join(f.Values, ", "))
		if f.Confidence != "high" {
			text += "  (" + inert(f.Confidence) + ")"
		}
		t.Cells(term.Cell{Text: inert(f.Name), Style: term.Strong}, term.Cell{Text: text})
	}
	return s.printTable(&t)
}

func newProjects(a *app) *cobra.Command {
	req := setup.ProjectRequest{}
	c := &cobra.Command{
		Use:   "projects [NAME]",
		Short: "List your projects, or describe one",
		Long: `Projects lists your projects with path, description, technologies, status and last
activity. For the project of this folder it uses the items project.* of its memory. With
NAME and flags it stores the description of a project in your own store.`,
		Example: `  memctl projects
  memctl projects shop --path ~/src/shop --technologies "go, postgres" --status active`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.run(needWrite, func(s *session, args []string) error {
					req.Options = s.Options
					req.Name = args[0]
					if req.Path+req.Description+req.Technologies+req.Status == "" {
						return usage("projects "+args[0], "needs a flag that describes the project", helpFor(c))
					}
					s.commitPending()
					return s.finishOne(setup.SetProject(s.ctx, s.stores, req))
				})(c, args)
			}
			return reads(a, func(s *session, _ []string) (setup.ProjectsResult, error) { return setup.Projects(s.ctx, s.stores) }, (*session).printProjects)(c, args)
		},
	}
	bindWrite(c)
	f := c.Flags()
	f.StringVar(&req.Path, "path", "", "set the `FOLDER` of the project")
	f.StringVar(&req.Description, "description", "", "set the description to `TEXT`")
	f.StringVar(&req.Technologies, "technologies", "", "set the technologies to `NAMES`, separated by commas")
	f.StringVar(&req.Status, "status", "", "set the `STATUS`: active, paused or completed")
	offer(c, "status", "active", "paused", "completed")
	return c
}

func (s *session) printProjects(result setup.ProjectsResult) error {
	var t term.Table
	for _, p := range result.Projects {
		mark := ""
		if p.Here {
			mark = "*"
		}
		t.Cells(
			term.Cell{Text: mark}, term.Cell{Text: inert(p.Name), Style: term.Strong}, term.Cell{Text: inert(p.Status)}, term.Cell{Text: inert(p.Last)},
			term.Cell{Text: inert(strings.Join(p.Technologies, ", "))}, term.Cell{Text: inert(p.Path)}, term.Cell{Text: inert(p.Description)},
		)
	}
	return s.printTable(&t)
}
