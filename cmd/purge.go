package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
)

type purgeOptions struct {
	scope  string
	dryRun bool
	yes    bool
	people bool
}

// fromStdin stands for a text that is read from stdin.
const fromStdin = "-"

func newPurge(a *app) *cobra.Command {
	o := &purgeOptions{}
	c := &cobra.Command{
		Use:   "purge KEY|ID|-",
		Short: "Take a value out of git's history and of everything else that has it",
		Long: `Purge looks for every value that KEY has or had, or for the text on stdin, in every
object of the repository, reachable or not, in the journal, in local state and in
memory's files, and prints where it stands and what takes it out. With --yes it takes
it out of memctl's own state and of private and user stores with their history, and
looks again; a project's history it prepares, and prints git's commands that put it in
place. The text itself is never printed, and never an argument.

Of a KEY it is taken out of the scopes that have the key or had it; where else it
stands is said. The names of authors, committers and taggers stay, without --people.`,
		Example: `  memctl purge deploy.token
  memctl purge deploy.token --yes
  memctl purge - < secret.txt`,
		Args:              takes(1, 1),
		RunE:              a.run(needStores, func(s *session, args []string) error { return runPurge(s, o, args[0]) }),
		ValidArgsFunction: a.completeOneKey,
	}
	bindScope(c, &o.scope)
	c.Flags().BoolVar(&o.yes, "yes", false, "do it")
	c.Flags().BoolVar(&o.people, "people", false, "rewrite the names of authors, committers and taggers too")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only say where it stands, as without --yes")
	return c
}

func runPurge(s *session, o *purgeOptions, key string) error {
	if err := checkScope(o.scope); err != nil {
		return err
	}
	origin, err := s.origin(false)
	if err != nil {
		return err
	}
	req := memory.PurgeRequest{Options: memory.Options{Scope: o.scope, DryRun: o.dryRun, Origin: origin}, Key: key, Yes: o.yes, People: o.people}
	if key == fromStdin {
		req.Key = ""
		if req.Text, err = s.readAll(); err != nil {
			return err
		}
	}
	result, failed := memory.Purge(s.ctx, s.stores, req)
	if failed != nil && len(result.Scopes) == 0 {
		return s.firstOf(failed)
	}
	if s.global.json {
		err = s.printJSON(result)
	} else {
		err = s.printPurge(result)
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return s.firstOf(failed)
	case o.yes && !o.dryRun && result.LeftCount > 0:
		return statusError(statusRefused)
	}
	return nil
}

// firstOf is the first of joined errors; the others are printed.
func (s *session) firstOf(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return err
		}
		list := joined.Unwrap()
		for _, e := range list[1:] {
			_ = s.report(s.firstOf(e))
		}
		err = list[0]
	}
}

func (s *session) printPurge(r memory.PurgeResult) error {
	if r.ShortCount > 0 {
		s.talk("note: left out, since they cannot be told from other text: " + count(r.ShortCount, "short value"))
	}
	if r.LongCount > 0 {
		s.talk("note: left out, since they are too long to be looked for: " + count(r.LongCount, "long value"))
	}
	if len(r.Scopes) == 0 && r.TextCount > 0 {
		if err := s.print("it stands nowhere\n"); err != nil {
			return err
		}
	}
	for _, scope := range r.Scopes {
		if err := s.printPurgeScope(scope); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		s.talk("note: " + note)
	}
	return nil
}

func (s *session) printPurgeScope(p memory.PurgeScope) error {
	places, head := p.Places, "it stands in scope "+p.Scope+":"
	switch {
	case len(p.Places) == 0:
		head = "it stands nowhere in scope " + p.Scope + " but in names of people"
	case p.Purged && len(p.Left) == 0:
		head, places = "purged from scope "+p.Scope+": it stands nowhere there now", nil
		if p.Own && len(p.Commands) > 0 {
			head = "purged from scope " + p.Scope + ": it stands nowhere on this machine now"
		}
	case p.Purged:
		head, places = "purged from memctl's own state in scope "+p.Scope+"; it still stands in:", p.Left
	}
	if err := s.print(head + "\n"); err != nil {
		return err
	}
	var t term.Table
	for _, place := range places {
		t.Row("  "+place.Kind, inert(place.Name), strconv.Itoa(place.Count))
	}
	if err := t.Write(s.streams.Out, s.streams.OutColour); err != nil {
		return err
	}
	if err := s.print(purgeCommands(p)); err != nil {
		return err
	}
	for _, note := range p.Notes {
		s.talk("note: " + note)
	}
	return nil
}

// purgeCommands are what a person runs, under what each list is for.
func purgeCommands(p memory.PurgeScope) string {
	if len(p.Commands) == 0 {
		return ""
	}
	lines, what := "", "to take it out"
	if p.Copy != "" {
		lines = "the last command deletes for good whatever no branch, tag, stash or reflog leads to then: lost\n" +
			"commits, and what the reflogs named below had; for a copy first, which has the value too:\n" +
			p.Copy + "\n"
	}
	if p.Own && p.Purged {
		what = "to take it out of the remote's history"
	}
	lines += what + ", in " + inert(p.Path) + ":\n" + joined(p.Commands)
	if len(p.Then) > 0 {
		lines += "then, to send what is not on the remote yet, as that it was forgotten:\n" + joined(p.Then)
	}
	return lines
}

// joined are commands as lines to paste, of which git's stop at the first that fails. One
// of memctl's stands for itself: its status is 1 while something is left to do.
func joined(commands []string) string {
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
