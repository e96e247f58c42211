package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

type validateOptions struct{ scope string }

func newValidate(a *app) *cobra.Command {
	o := &validateOptions{}
	c := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Find what is wrong with memory files",
		Long: `Validate reads the memory files of all scopes, or the files that are named, and
prints a line for each finding: FILE:LINE:COLUMN, severity, message and rule. It
changes nothing, and exits with 1 where a finding is an error.`,
		Example: `  memctl validate
  memctl validate memories.md --json`,
		RunE: a.run(needStores, func(s *session, args []string) error { return runValidate(s, o, args) }),
	}
	bindScope(c, &o.scope)
	return c
}

func runValidate(s *session, o *validateOptions, files []string) error {
	if err := checkScope(o.scope); err != nil {
		return err
	}
	result, err := memory.Validate(s.ctx, s.stores, memory.ValidateRequest{Files: files, Scope: o.scope})
	if err != nil {
		return err
	}
	if s.global.json {
		err = s.printJSON(result)
	} else {
		err = s.print(findingsText(result.Findings, s.streams.OutColour, s.global.quiet))
		s.talk(count(result.FileCount, "file") + ", " + count(len(result.Findings), "finding"))
	}
	if err == nil && hasErrors(result.Findings) {
		return statusError(statusRefused)
	}
	return err
}

func hasErrors(findings []memory.Validation) bool {
	for _, f := range findings {
		if f.Severity == string(memfile.Error) {
			return true
		}
	}
	return false
}

// findingsText prints each finding in the form that editors jump from, with
// its hint indented below.
func findingsText(findings []memory.Validation, colour, terse bool) string {
	var b strings.Builder
	for _, f := range findings {
		style := term.Warning
		if f.Severity == string(memfile.Error) {
			style = term.Bad
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", inert(f.File), f.Line, f.Column, style.Paint(colour, f.Severity), inert(f.Message), f.Rule)
		if f.Hint != "" && !terse {
			b.WriteString("    " + inert(f.Hint) + "\n")
		}
	}
	return b.String()
}
