package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep/integrity"
)

func newRecover(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "recover",
		Short: "Repair a damaged memory file",
		Long: `Recover rewrites a damaged memory file. It keeps the readable items. It reconstructs
others, which then wait for your confirmation. The section "Non-authoritative notes" of
the file says how to get the original text. --dry-run prints the plan and the diff.`,
		Example: `  memctl recover --dry-run
  memctl recover`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error {
			result, err := integrity.Recover(s.ctx, s.stores, s.Options)
			return present(s, result, err, s.printRecover)
		}),
	}
	bindWrite(c)
	return c
}

func (s *session) printRecover(result integrity.RecoverResult) error {
	if !result.Needed {
		s.note("not-damaged", memory.Quoted(result.Path)+" is not damaged")
		s.notes(result.Notes)
		return nil
	}
	text := "recovered: "
	if s.dryRun() {
		text = "would recover: "
	}
	text += inert(result.Path) + "\n"
	for _, reason := range result.Reasons {
		text += "  because: " + inert(reason) + "\n"
	}
	text += "  kept: " + count(result.Kept, "item") + "\n  salvaged: " + count(result.Salvaged, "item") + "\n"
	for _, aside := range result.SetAside {
		text += "  set aside: line " + strconv.Itoa(aside.Line) + ", " + inert(aside.Why) + "\n"
	}
	if result.Original != "" {
		text += "  original: " + inert(result.Original) + "\n"
	}
	if line := committedText(result.Committed, !s.dryRun()); line != "" {
		text += "  " + line
	}
	s.print(text)
	s.notes(result.Notes)
	return s.printDiff(result.Diff)
}
