package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/page/pageenv"
)

// The outcomes of a check.
const (
	checkOK   = "ok"
	checkNote = "note"
	checkWarn = "warn"
	checkFail = "fail"
)

// check is one thing that doctor looked at; the page prints it too.
type check = pageenv.Check

// doctor collects the results of checks.
type doctor struct {
	*session
	checks []check
}

func (d *doctor) add(status, name, said, fix string) {
	d.checks = append(d.checks, check{Name: name, Status: status, Said: said, Fix: fix})
}

func (d *doctor) ok(name, said string)        { d.add(checkOK, name, said, "") }
func (d *doctor) note(name, said, fix string) { d.add(checkNote, name, said, fix) }
func (d *doctor) warn(name, said, fix string) { d.add(checkWarn, name, said, fix) }

// about says which line of status the last check belongs to.
func (d *doctor) about(topic string) { d.checks[len(d.checks)-1].About = topic }

// fail adds a check that ended with an error.
func (d *doctor) fail(name string, err error) {
	e := explain(err)
	d.add(checkFail, name, e.Error(), strings.Join(e.Hints, "; "))
}

// What a check can be about.
const (
	aboutHooks  = "hooks"
	aboutMCP    = "mcp"
	aboutMerge  = "merging"
	aboutSync   = "sync"
	aboutShared = "shared index"
)

// doctorJSON is the object that doctor prints.
type doctorJSON struct {
	Schema    int     `json:"schema"`
	FailCount int     `json:"fail_count"`
	WarnCount int     `json:"warn_count"`
	Checks    []check `json:"checks"`
}

func newDoctor(a *app) *cobra.Command {
	fix, models := false, false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find and repair problems",
		Long: `Doctor checks git, the repository, the memory files, memctl's own folders and the
connection to your agents. For each problem it prints the command that solves it. It
changes nothing, and exits with 1 if a check fails.

With --fix it first repairs what it can: it sets the merge driver, moves damaged files of
local state aside, finishes a write that was killed, and commits or stores pending writes.

With --models it also sends each configured model one tiny request (see docs/models.md).`,
		Example: `  memctl doctor
  memctl doctor --fix
  memctl doctor --json`,
		RunE: a.run(needNothing, func(s *session, _ []string) error { return runDoctor(s, fix, models) }),
	}
	c.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired without a decision of yours")
	c.Flags().BoolVar(&models, "models", false, "try each configured model with one tiny request")
	return c
}

func runDoctor(s *session, fix, models bool) error {
	// What opening and reading would say, the checks say.
	quiet := s.global.quiet
	s.global.quiet = true
	if fix {
		if err := s.repair(quiet); err != nil {
			return err
		}
	}
	d := &doctor{session: s}
	d.checkAll(models)
	if err := s.ctx.Err(); err != nil {
		return err // the last check may not be right
	}
	out := doctorJSON{Schema: memory.SchemaNumber, Checks: d.checks}
	for _, c := range d.checks {
		switch c.Status {
		case checkFail:
			out.FailCount++
		case checkWarn:
			out.WarnCount++
		}
	}
	err := present(s, out, nil, func(out doctorJSON) error { return s.print(doctorText(out.Checks, s.streams.OutColour)) })
	if err == nil && out.FailCount > 0 {
		return statusError(statusRefused)
	}
	return err
}

// checkAll runs every check. With models it asks each configured model.
func (d *doctor) checkAll(models bool) {
	if version := gitops.GitVersion(d.ctx); version != "" {
		d.ok("git", version)
	} else {
		d.add(checkFail, "git", "not found on the path", "install git from https://git-scm.com/downloads")
	}
	if problem := d.fullProblem(d.ctx); problem != nil {
		d.warn(fullName, problem.Error(), strings.Join(problem.Hints, "; "))
	}
	d.checkRepository()
	d.checkStores()
	d.checkAgents()
	if d.stores == nil {
		return // a check has said why
	}
	d.checkSessions()
	d.checkExports()
	d.checkModels(models)
}

// checkStyles are the colours of the outcomes.
func checkStyles() map[string]term.Style {
	return map[string]term.Style{checkOK: term.Good, checkWarn: term.Warning, checkFail: term.Bad}
}

// doctorText is a line for each check, with the command that mends a problem below it.
func doctorText(checks []check, colour bool) string {
	styles := checkStyles()
	t := term.Table{}
	for _, c := range checks {
		t.Cells(term.Cell{Text: c.Status, Style: styles[c.Status]}, term.Cell{Text: c.Name}, term.Cell{Text: inert(c.Said)})
		if c.Fix != "" && c.Status != checkOK {
			t.Row("", "", inert(c.Fix))
		}
	}
	return t.Text(colour)
}
