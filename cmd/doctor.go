package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

// doctorJSON is the object that doctor and status print.
type doctorJSON struct {
	ErrorCount   int             `json:"error_count"`
	WarningCount int             `json:"warning_count"`
	Findings     []fault.Finding `json:"findings"`
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
local state aside, and finishes writes that were interrupted. It does not decide
about memories that wait for your review.

With --models it also sends each configured model one tiny request (see docs/models.md).`,
		Example: `  memctl doctor
  memctl doctor --fix
  memctl doctor --json`,
		RunE: a.runner(needNothing, func(s *session, _ []string) error { return runDoctor(s, fix, models) }),
	}
	c.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired without a decision of yours")
	c.Flags().BoolVar(&models, "models", false, "try each configured model with one tiny request")
	return c
}

func runDoctor(s *session, fix, models bool) (err error) {
	if s.Options, err = s.options(); err != nil {
		return err
	}
	if fix {
		notes, err := s.silent(s.ctx).applyFixes()
		s.notes(notes)
		if err != nil {
			return err
		}
		if len(notes) == 0 {
			s.note("nothing-to-repair", "there was nothing to repair")
		}
	}
	out := doctorReport(s.runChecks(s.ctx, false, models).found)
	if err := s.ctx.Err(); err != nil {
		return err // the last check may not be right
	}
	err = present(s, out, nil, func(out doctorJSON) error { return s.print(doctorText(out.Findings, s.streams.OutColour)) })
	if err == nil && out.ErrorCount > 0 {
		return statusError(statusRefused)
	}
	return err
}

// doctorReport counts what is wrong.
func doctorReport(found []fault.Finding) doctorJSON {
	out := doctorJSON{Findings: found}
	for _, f := range found {
		switch f.Severity {
		case fault.SeverityError:
			out.ErrorCount++
		case fault.SeverityWarning:
			out.WarningCount++
		}
	}
	return out
}

// doctorText is a line for each finding, with the command that solves a problem below it.
func doctorText(found []fault.Finding, colour bool) string {
	styles := severityStyles()
	t := term.Table{}
	for _, f := range found {
		t.AddCells(term.Cell{Text: f.Severity, Style: styles[f.Severity]}, term.Cell{Text: f.Rule}, term.Cell{Text: inert(f.Message)})
		if f.Hint != "" {
			t.AddRow("", "", inert(f.Hint))
		}
	}
	return t.Text(colour)
}

// applyFixes makes the repairs of --fix and returns a note for each. If no store can be opened, the checks say why.
func (s *session) applyFixes() (notes []fault.Note, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if repo, failed := gitops.Find(dir); failed == nil && repo.Refused(s.ctx) == nil {
		changed, err := remotes.InstallMergeDriver(s.ctx, repo)
		if err != nil {
			return nil, err
		}
		if changed {
			notes = append(notes, store.MergesByItem())
		}
	}
	if s.stores, err = s.open(s.ctx); err != nil {
		return notes, nil
	}
	mended, err := integrity.MakeReady(s.ctx, s.stores)
	if notes = append(notes, mended...); err == nil {
		notes = append(notes, review.BringIn(s.ctx, s.stores, memory.Options{Origin: memory.Origin{Kind: memory.Automatic}})...)
	}
	return notes, err
}
