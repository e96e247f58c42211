package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/integrity"
)

func newRecover(a *app) *cobra.Command {
	noSalvage := false
	c := &cobra.Command{
		Use:   "recover",
		Short: "Repair a damaged memory file",
		Long: `Recover rewrites a damaged memory file. It keeps the readable items, and marks those that
it had to reconstruct for confirmation. The original text is kept in the file under
"Non-authoritative notes". --dry-run prints the plan and the diff.`,
		Example: `  memctl recover --dry-run
  memctl recover
  memctl recover --no-salvage`,
		RunE: a.run(needWrite, func(s *session, _ []string) error {
			result, err := integrity.Recover(s.ctx, s.stores, integrity.RecoverRequest{Options: s.Options, NoSalvage: noSalvage})
			return present(s, result, err, s.printRecover)
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&noSalvage, "no-salvage", false, "keep the settings and the original text, and reconstruct no items")
	return c
}

func (s *session) printRecover(result integrity.RecoverResult) error {
	if !result.Needed {
		s.note(named(result.Path, "is not damaged; nothing to recover"))
		return nil
	}
	s.print(recoverText(result, s.dryRun()))
	s.notes(result.Notes)
	return s.printDiff(result.Diff)
}

// recoverText is the plan, or what was done.
func recoverText(r integrity.RecoverResult, plan bool) string {
	var b strings.Builder
	verb := "recovered"
	if plan {
		verb = "would recover"
	}
	b.WriteString(verb + ": " + inert(r.Path) + "\n")
	for _, reason := range r.Reasons {
		b.WriteString("  because: " + inert(reason) + "\n")
	}
	b.WriteString("  kept: " + count(r.Kept, "item") + "\n")
	b.WriteString("  salvaged: " + count(r.Salvaged, "item") + "\n")
	for _, aside := range r.SetAside {
		b.WriteString("  set aside: line " + strconv.Itoa(aside.Line) + ", " + inert(aside.Why) + "\n")
	}
	switch {
	case r.Commit != nil:
		b.WriteString("  committed: " + short(*r.Commit) + "\n")
	case !plan && r.Why != "":
		b.WriteString("  not committed: " + inert(r.Why) + "\n")
	}
	return b.String()
}
