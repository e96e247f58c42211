package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/upkeep"
)

// fromStdin stands for a text that is read from stdin.
const fromStdin = "-"

func newPurge(a *app) *cobra.Command {
	yes := false
	c := &cobra.Command{
		Use:   "purge KEY|ID|-",
		Short: "Remove a value from all history",
		Long: `Purge searches for every value that KEY has or had, or for the text on stdin: in all
objects of the repository, in the journal, in local state and in memory's files. It lists
where the value is, and changes nothing. It never prints the value.

With --yes it removes the value from memory's files, from the journal and from local
state, and rewrites the history of private and user stores. It does not rewrite the
history of a project; it prints the git filter-repo command that does.

Purge handles the scopes that have or had KEY, and names other scopes that contain the
value.`,
		Example: `  memctl purge deploy.token
  memctl purge deploy.token --yes
  memctl purge - < secret.txt`,
		RunE: a.runner(needStores, func(s *session, args []string) error { return runPurge(s, yes && !s.dryRun(), args[0]) }),
	}
	bindScope(c)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove the value")
	bindDryRun(c, "only list where the value is, as without --yes")
	return c
}

func runPurge(s *session, yes bool, key string) error {
	req := upkeep.PurgeRequest{Options: s.Options, Key: key, Yes: yes}
	if key == fromStdin {
		var err error
		req.Key = ""
		if req.Text, err = s.readAll(); err != nil {
			return err
		}
	}
	result, failed := upkeep.Purge(s.ctx, s.stores, req)
	if yes {
		s.refreshExports()
	}
	if failed != nil && len(result.Scopes) == 0 {
		return s.reportAllButFirst(failed)
	}
	if err := present(s, result, nil, s.printPurge); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return s.reportAllButFirst(failed)
	case req.Yes && result.LeftCount > 0:
		return statusError(statusRefused)
	}
	return nil
}

// reportAllButFirst is the first of joined errors; the others are printed.
func (s *session) reportAllButFirst(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		list := joined.Unwrap()
		for _, e := range list[1:] {
			_ = s.report(s.reportAllButFirst(e))
		}
		err = list[0]
	}
}

func (s *session) printPurge(r upkeep.PurgeResult) error {
	if r.ShortCount > 0 {
		s.note("short-values", "skipped, because other text can look the same: "+count(r.ShortCount, "short value"))
	}
	if r.LongCount > 0 {
		s.note("long-values", "skipped, because they are too long: "+count(r.LongCount, "long value"))
	}
	if len(r.Scopes) == 0 && r.TextCount > 0 {
		s.print("not found\n")
	}
	for _, scope := range r.Scopes {
		s.printPurgeScope(scope)
	}
	s.notes(r.Notes)
	return nil
}

func (s *session) printPurgeScope(p upkeep.PurgeScope) {
	places, head := p.Left, "found in scope "+p.Scope+":"
	switch {
	case p.Purged && len(p.Left) == 0:
		head = "removed from scope " + p.Scope + ": nothing is left on this machine"
	case p.Purged:
		head = "removed from memctl's own files in scope " + p.Scope + "; still found in:"
	}
	s.print(head + "\n")
	var t term.Table
	for _, place := range places {
		name := inert(place.Name)
		if place.Count > 0 {
			name = strconv.Itoa(place.Count) + " " + name
		}
		t.AddRow("  "+place.Kind, place.Removal, name)
	}
	s.print(t.Text(s.streams.OutColour) + purgeCommands(p))
	s.notes(p.Notes)
}

// purgeCommands lists the commands that a person runs, each below its purpose.
func purgeCommands(p upkeep.PurgeScope) string {
	if len(p.Paste) == 0 {
		return ""
	}
	what := "to remove it"
	if p.Own && p.Purged {
		what = "to remove it from the remote's history"
	}
	return what + ", in " + inert(p.Path) + ":\n" + pasteLines(p.Paste)
}

// pasteLines are commands as lines to paste, of which git's stop at the first that fails. One
// of memctl's stands for itself: its status is 1 while something is left to do.
func pasteLines(commands []string) string {
	ours := func(command string) bool { return strings.HasPrefix(command, "memctl ") }
	var b strings.Builder
	for i, command := range commands {
		b.WriteString("  " + strings.TrimSpace(inert(command)))
		if i+1 < len(commands) && !ours(command) && !ours(commands[i+1]) {
			b.WriteString(" &&")
		}
		b.WriteString("\n")
	}
	return b.String()
}
