package cmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/memory/sharing"
)

// The forms of an export.
const (
	formJSON     = "json"
	formJSONL    = "jsonl"
	formMarkdown = "markdown"
)

// defaultExportBytes limits Markdown if --max-bytes is not set, so that an
// agent can read it.
const defaultExportBytes = 32768

type exportOptions struct {
	format   string
	maxBytes int
	to       string
	remove   bool
	check    bool
}

func newExport(a *app) *cobra.Command {
	o := &exportOptions{}
	c := &cobra.Command{
		Use:   "export [KEY|GLOB...]",
		Short: "Print memory as Markdown or JSON",
		Long: `Export prints the items and entries of all scopes, or the items that match, for people
and other programs. Import can read JSON Lines. Export leaves out what the policy withholds,
and names it on stderr. If Markdown is too long, export leaves out whole memories, and the
last line says how many.

With --to, export writes the project's confirmed items into CLAUDE.md or AGENTS.md in the
project's folder, between two marks, for people without memctl. An agent that loads the
file does not receive these items from memctl again. "memctl sync" and "memctl hooks
install" refresh the file. In CI, --check fails if the file is out of date.`,
		Example: `  memctl export
  memctl export --format jsonl > memory.jsonl
  memctl export --scope user --format json 'writing.*'
  memctl export --to claude
  memctl export --to agents-md --check
  memctl export --to agents-md --remove`,
		RunE: a.runner(needStores, func(s *session, args []string) error { return runExport(s, o, args) }),
	}
	bindScope(c)
	c.Flags().StringVar(&o.format, "format", "", "print `FORMAT`: markdown (the default), json or jsonl")
	c.Flags().IntVar(&o.maxBytes, "max-bytes", defaultExportBytes, "print or write at most `N` bytes of Markdown; 0 is no limit")
	c.Flags().StringVar(&o.to, "to", "", "write the project's items into the instruction file `TARGET`: "+strings.Join(agents.MemoryTargets(), ", "))
	c.Flags().BoolVar(&o.remove, "remove", false, "with --to, remove the items again")
	c.Flags().BoolVar(&o.check, "check", false, "with --to, only check that the file is up to date")
	bindDryRun(c, "with --to, print what would change, and change nothing")
	c.MarkFlagsMutuallyExclusive("to", "format")
	c.MarkFlagsMutuallyExclusive("check", "remove", "dry-run")
	allow(c, "to", agents.MemoryTargets()...)
	allow(c, "format", formMarkdown, formJSON, formJSONL)
	return c
}

func runExport(s *session, o *exportOptions, patterns []string) error {
	if o.maxBytes <= 0 {
		o.maxBytes = math.MaxInt
	}
	if o.to != "" || o.remove || o.check || s.dryRun() {
		return runExportTo(s, o, patterns)
	}
	if o.format == "" {
		o.format = formMarkdown
		if s.global.json {
			o.format = formJSON
		}
	}
	result, err := sharing.Export(s.ctx, s.stores, s.Reader(), sharing.ExportRequest{Scope: s.Scope, Patterns: patterns})
	if err != nil {
		return err
	}
	s.tellWithheld(result.WithheldCount)
	for _, w := range result.LeftOut {
		if w.Key != "" { // an agent is told only how many they are
			s.note("export-withheld", named(w.Key, "is withheld, so it is left out ["+w.Why+"]"))
		}
	}
	return s.printExport(o, result)
}

func (s *session) printExport(o *exportOptions, result sharing.ExportResult) error {
	switch o.format {
	case formJSON:
		return s.printJSON(result)
	case formJSONL:
		for _, it := range result.Items {
			s.printRow(it)
		}
		for _, e := range result.Entries {
			s.printRow(e)
		}
		return nil
	}
	if len(result.Items)+len(result.Entries) == 0 {
		s.note("nothing-to-export", "nothing to export")
		return nil
	}
	text, left := result.Markdown(o.maxBytes)
	if left > 0 {
		s.note("export-truncated", fmt.Sprintf("%d of %d items did not fit into --max-bytes", left, len(result.Items)+len(result.Entries)))
	}
	return s.print(text)
}
