package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/shared"
	"github.com/memctl/memctl/store"
)

func newIndexPull(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "pull",
		Short: "Copy the skills that you may use from the shared index",
		Long: `Pull copies the skills of other repositories that you may use from the shared index to this
machine, and the context files that you pushed from your other machines. What is gone there,
or no longer yours to read, goes here too. Every push ends with a pull.

Agents are offered the copied skills of the repositories in memctl.pg.trust. "memctl skills
list" shows them with the tier "shared". If the server does not answer, the last copy stays.`,
		Example: `  memctl index pull
  memctl index pull --dry-run`,
		RunE: a.needsFull(a.run(needStores, runIndexPull)),
	}
	bindPostgres(c)
	bindDryRun(c, "print what would be copied, and copy nothing")
	return c
}

func runIndexPull(s *session, _ []string) error {
	result, err := shared.Pull(s.ctx, s.stores, s.parts.Dial, s.Options)
	return present(s, result, err, s.printPulled)
}

// printPulled says what a pull changed, and what agents do not get of it.
func (s *session) printPulled(r shared.PullResult) error {
	changed := 0
	for _, v := range r.Skills {
		if v.Change != "" {
			changed++
		}
	}
	verb := "copied "
	if r.Why == "dry run" {
		verb = "would copy "
	}
	line := verb + count(len(r.Skills), "skill") + " (" + strconv.Itoa(changed) + " new or changed, " + strconv.Itoa(len(r.Removed)) + " removed)"
	if r.Context > 0 {
		line += " and " + count(r.Context, "context file")
	}
	if err := s.print(line + " from " + inert(r.Server) + "\n"); err != nil {
		return err
	}
	s.notes(r.Notes)
	if len(r.Untrusted) > 0 {
		s.talk("note: agents do not get skills of repositories that memctl.pg.trust does not list: " + inert(strings.Join(r.Untrusted, ", ")))
		list := append(s.stores.SharedRepositories(s.ctx), r.Untrusted...)
		s.hint("git config --global " + store.SharedTrust.Name + " '" + inert(strings.ReplaceAll(strings.Join(list, " "), "'", "")) + "'")
	}
	return nil
}

// extrasLine says how many skills and context files a push sent; "" where the store has none.
func extrasLine(v shared.PushedView) string {
	var parts []string
	add := func(total, sent, removed int, what string) {
		if total > 0 || removed > 0 {
			parts = append(parts, count(sent, what)+", "+strconv.Itoa(removed)+" removed, "+strconv.Itoa(total-sent)+" unchanged")
		}
	}
	add(v.Skills.Total, v.Skills.Sent, v.Skills.Removed, "skill")
	add(v.Context.Total, v.Context.Sent, v.Context.Removed, "context file")
	if len(parts) == 0 {
		return ""
	}
	verb := "sent "
	if v.Why != "" {
		verb = "would send "
	}
	return inert(v.Scope) + ": " + verb + strings.Join(parts, "; ") + "\n"
}

// extrasOf counts the skills and context files of a store.
func extrasOf(v shared.StoreView) string {
	var parts []string
	if v.Skills > 0 {
		parts = append(parts, count(v.Skills, "skill"))
	}
	if v.Context > 0 {
		parts = append(parts, count(v.Context, "context file"))
	}
	return strings.Join(parts, ", ")
}
