package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
)

type compactOptions struct {
	upkeep.CompactRequest
	yes   bool
	model bool
}

func newCompact(a *app) *cobra.Command {
	o := &compactOptions{}
	c := &cobra.Command{
		Use:   "compact",
		Short: "Move duplicate and old entries away",
		Long: `Compact proposes entries to remove:
  - duplicate facts
  - facts that are hardly used (standing below 0.1), if this machine has always counted
    their use
  - notes older than 30 days, which become a summary of their month
  - the oldest turns of a conversation that is nearly full
At a terminal it asks before it removes them; --yes answers yes.

The entries are moved to a folder named deleted in one commit, which "memctl undo" can
revert. Compact keeps pinned, locked and anchored entries, decisions and rules, and does
nothing if it would remove more than half of all entries.

With --model, a configured model also proposes facts that can be merged into one text. The
text may contain only their own sentences. memctl merges facts that you stated only if you
agree to the table at a terminal.`,
		Example: `  memctl compact
  memctl compact --only duplicate,note --yes`,
		RunE: a.runner(needWrite, func(s *session, _ []string) error { return runCompact(s, o) }),
	}
	bindWrite(c)
	c.Flags().StringSliceVar(&o.Only, "only", nil, "remove only these `KINDS`: "+strings.Join(upkeep.CompactKinds(), ", "))
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "remove without asking")
	c.Flags().BoolVar(&o.model, "model", false, "let a configured model merge facts too")
	offer(c, "only", upkeep.CompactKinds()...)
	return c
}

func runCompact(s *session, o *compactOptions) error {
	asks := s.mayAsk() && !o.yes && !s.dryRun() && s.Explicit()
	req := o.CompactRequest
	req.Options, req.Apply = s.Options, o.yes || s.dryRun()
	s.commitPending()
	if o.model {
		var err error
		if req.Judge, err = s.judge(); err != nil {
			return err
		}
	}
	result, err := upkeep.Compact(s.ctx, s.stores, req)
	if err != nil {
		return err
	}
	if len(result.Scopes) > 0 {
		result.Scopes[0].Notes = s.withPendingNotes(result.Scopes[0].Notes)
	}
	present(s, result, nil, s.printCompact)
	moved := 0
	for _, scope := range result.Scopes {
		if len(scope.Findings) == 0 {
			moved += scope.Moved
		}
	}
	if moved > 0 && !req.Apply && !s.dryRun() && !s.global.json {
		if !asks {
			s.note("only-planned", "nothing has changed yet", s.commandWith("--yes"))
		} else if s.confirmYes("Move these entries to deleted?") {
			req.Apply, req.Agreed = true, result.Scopes
			if result, err = upkeep.Compact(s.ctx, s.stores, req); err != nil {
				return err
			}
			s.printCompacted(result)
		}
	}
	for _, scope := range result.Scopes {
		if len(scope.Findings) > 0 {
			return statusError(statusRefused)
		}
	}
	return nil
}

// printCompact prints the table of each scope, and what became of it.
func (s *session) printCompact(r upkeep.CompactResult) error {
	for _, scope := range r.Scopes {
		var t term.Table
		t.AddCells(term.Cell{Text: fmt.Sprintf("%s: %d of %d entries to move away", scope.Scope, scope.Moved, scope.Entries), Style: term.Strong})
		for i, v := range scope.Changes {
			line, whole := oneLineOf, v.Kind == upkeep.KindMerge
			if whole { // a person agrees to these very words
				line = func(text string) string { return strings.Join(strings.Fields(text), " ") }
			}
			t.AddRow("  "+v.Kind, short(inert(v.ID)), fmt.Sprintf("%.2f", v.Standing), inert(line(v.Text)))
			if last := i+1 == len(scope.Changes) || scope.Changes[i+1].Into != v.Into; v.Into != "" && v.Into != v.ID && (last || !whole) {
				t.AddRow("    into", short(inert(v.Into)), "", inert(line(v.IntoText)))
			}
		}
		if !s.global.quiet {
			s.printTable(&t)
		}
		s.printDiff(scope.Diff)
	}
	return s.printCompacted(r)
}

// printCompacted says of each scope what was done, or why nothing was.
func (s *session) printCompacted(r upkeep.CompactResult) error {
	for _, scope := range r.Scopes {
		for _, f := range scope.Findings {
			s.errorLine(scope.Scope + ": " + f.Message + ruleMark(f.Rule))
		}
		s.notes(scope.Notes)
		switch {
		case scope.Commit != nil && !s.global.quiet:
			s.print(fmt.Sprintf("Compacted %s: %d moved to deleted (undo: memctl undo)\n", scope.Scope, scope.Moved))
		case scope.Commit == nil && scope.Why != "" && scope.Why != "dry run":
			s.note("compaction-uncommitted", scope.Scope+": not committed: "+inert(scope.Why))
		}
	}
	return nil
}

// oneLineOf is the beginning of a text on one line.
func oneLineOf(text string) string {
	return policy.Cut(strings.Join(strings.Fields(text), " "), 69)
}

// judge lets a model name facts that can be merged. Without a model, or if none answers, compact
// says so and goes on.
func (s *session) judge() (*upkeep.Judge, error) {
	const rulesOnly = "compact goes by rules only"
	chain, err := extraction.Chain(s.ctx, s.stores)
	if err != nil && !fault.Is(err, fault.NoModel) {
		return nil, err
	}
	if err != nil {
		s.noteWithoutModel(rulesOnly, err)
		return nil, nil
	}
	return &upkeep.Judge{Ask: func(texts []string) (upkeep.Judgement, error) {
		judged, err := extraction.AskForMerges(s.ctx, chain, texts)
		if err != nil {
			s.noteWithoutModel(rulesOnly, err)
		}
		return judged, s.ctx.Err()
	}}, nil
}
