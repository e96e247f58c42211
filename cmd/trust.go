package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/store/txn"
)

// trustStatus is the word that only asks.
const trustStatus = "status"

func newTrust(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "trust [reviewed|off|status]",
		Short: "Let your agents receive this repository's memory",
		Long: `Trust decides whether hooks hand the memory and the context files of this repository to
your agents:
  memctl trust            everything
  memctl trust reviewed   only what is on the default branch of the remote, or was
                          written on this machine; not what a checked-out pull
                          request adds
  memctl trust off        nothing
  memctl trust status     print the present state

The answer is stored in the repository's own git config, which a clone does not carry.
Only a person at a terminal can give it.`,
		Example: `  memctl trust
  memctl trust reviewed
  memctl trust status`,
		ValidArgs: []string{setup.TrustReviewed, setup.TrustOff, trustStatus},
		RunE:      a.run(needStores, runTrust),
	}
	bindDryRun(c, "print what would be set, and set nothing")
	return c
}

func runTrust(s *session, args []string) error {
	req := setup.TrustRequest{Options: s.Options, Level: cmp.Or(strings.Join(args, ""), setup.TrustOn)}
	if req.Level == trustStatus {
		req.Level = ""
	}
	if s.mayAsk() {
		req.Ask = s.ask
	}
	result, err := setup.Trust(s.ctx, s.stores, req)
	return present(s, result, err, func(r setup.TrustResult) error { return s.printTrust(r, req.Level) })
}

// printTrust says which level the repository has; wanted is "" where that was the question.
func (s *session) printTrust(result setup.TrustResult, wanted string) error {
	text := "trust is " + result.Level
	switch {
	case result.Why == txn.WhyDryRun:
		text += ", and would be " + wanted + " (dry run)"
	case result.Why != "":
		text += ": " + result.Why
	}
	s.print(text + "\n")
	s.notes(result.Notes)
	if result.Level == setup.TrustOff && wanted == "" {
		s.hint("memctl trust")
	}
	return nil
}
