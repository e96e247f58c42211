package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/setup"
)

type acceptOptions struct {
	list   bool
	remove bool
}

func newPolicyAccept(a *app) *cobra.Command {
	o := &acceptOptions{}
	c := &cobra.Command{
		Use:   "accept [KEY|ID]",
		Short: "Accept an item that the policy withholds",
		Long: `Accept lets your agents on this machine receive an item that the policy withholds, or an
entry by its id. It applies until the key, the value or the text changes. It is stored in
git config, for you alone, and does not change the memory. A secret cannot be accepted.

--remove withdraws the acceptance. --list, or no argument, lists what you accepted.`,
		Example: `  memctl policy accept team.rota
  memctl policy accept --list
  memctl policy accept --remove team.rota`,
		RunE: a.run(needWrite, func(s *session, args []string) error { return runPolicyAccept(s, o, args) }),
	}
	bindWrite(c)
	c.Flags().BoolVar(&o.list, "list", false, "list what you accepted")
	c.Flags().BoolVar(&o.remove, "remove", false, "withdraw the acceptance of KEY, which can be its digest")
	return c
}

func runPolicyAccept(s *session, o *acceptOptions, args []string) error {
	if o.list && (o.remove || len(args) > 0) {
		return usage("--list", "use it without a key")
	}
	if len(args) == 0 {
		if o.remove {
			return usage("--remove", "needs the KEY or the digest", "memctl policy accept --list")
		}
		return s.listAccepted()
	}
	w, err := setup.Accept(s.ctx, s.stores, setup.AcceptRequest{Options: s.Options, Key: args[0], Remove: o.remove})
	if err == nil && w.Changed && !s.global.quiet && !s.global.json {
		verb := "Accepted "
		if o.remove {
			verb = "No longer accepted: "
		}
		w.Saved = verb + w.Key
	}
	return s.finishOne(w, err)
}

// listAccepted prints what this person accepted on this machine.
func (s *session) listAccepted() error {
	result, err := setup.Accepted(s.ctx, s.stores)
	return present(s, result, err, s.printAcceptances)
}

func (s *session) printAcceptances(result setup.AcceptedResult) error {
	if len(result.Accepted) == 0 {
		s.talk("note: nothing is accepted")
	}
	t := term.Table{Max: keyColumn}
	for _, view := range result.Accepted {
		key := inert(view.Key)
		if key == "" {
			key = "(changed or removed)"
		}
		t.Row(view.Digest, key, inert(view.Scope), inert(strings.Join(view.Rules, ", ")))
	}
	return s.printTable(&t)
}
