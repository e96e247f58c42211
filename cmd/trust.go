package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/setup"
)

// trustStatus is the word that only asks.
const trustStatus = "status"

func newTrust(a *app) *cobra.Command {
	item := ""
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

With --item it lets your agents on this machine receive an item or entry that the policy
withholds, until its key, value or text changes. "memctl trust off --item KEY" withdraws
this. A secret cannot be accepted.

memctl stores the answer in the repository's own git config, which a clone does not carry.
Only a person at a terminal can give the answer.`,
		Example: `  memctl trust
  memctl trust reviewed
  memctl trust status
  memctl trust --item team.rota`,
		ValidArgs: []string{setup.TrustReviewed, setup.TrustOff, trustStatus},
		RunE: func(c *cobra.Command, args []string) error {
			if item != "" {
				return a.runner(needWrite, func(s *session, args []string) error { return runAccept(s, item, args) })(c, args)
			}
			return a.runner(needStores, runTrust)(c, args)
		},
	}
	bindScope(c)
	c.Flags().StringVar(&item, "item", "", "decide about what the policy withholds: `KEY`, an ID or a digest")
	bindDryRun(c, "print what would be set, and set nothing")
	return c
}

func runTrust(s *session, args []string) error {
	req := setup.TrustRequest{Options: s.Options, Level: cmp.Or(strings.Join(args, ""), setup.TrustOn)}
	if req.Level == trustStatus {
		req.Level = ""
	}
	if s.mayAsk() {
		req.Ask = s.confirmYes
	}
	result, err := setup.Trust(s.ctx, s.stores, req)
	return present(s, result, err, func(r setup.TrustResult) error { return s.printTrust(r, req.Level) })
}

// runAccept accepts an item that the policy withholds, or withdraws such an acceptance.
func runAccept(s *session, item string, args []string) error {
	level := strings.Join(args, "")
	if level != "" && level != setup.TrustOff {
		return usage("--item", "goes with off or alone", "memctl trust --item "+shell.Quote(item))
	}
	req := setup.AcceptRequest{Options: s.Options, Key: item, Remove: level == setup.TrustOff}
	w, err := setup.Accept(s.ctx, s.stores, req)
	if err == nil && w.Changed && !s.global.quiet && !s.global.json {
		verb := "Accepted "
		if req.Remove {
			verb = "No longer accepted: "
		}
		w.Saved = verb + w.Key
	}
	return s.finishOne(w, err)
}

// printTrust says which level the repository has; wanted is "" where that was the question.
func (s *session) printTrust(result setup.TrustResult, wanted string) error {
	text := "trust is " + result.Level
	switch {
	case result.Why == txn.WhyDryRun:
		text += ", and would be " + wanted + " (dry run)"
	case result.Why != "":
		text += ": " + result.Why
	case result.Level == setup.TrustOff:
		text += ": agents receive nothing of this repository's memory"
	case result.Level == setup.TrustReviewed:
		text += ": agents receive the reviewed part of this repository's memory"
	default:
		text += ": agents receive this repository's memory"
	}
	s.print(text + "\n")
	s.notes(result.Notes)
	t := term.Table{Indent: "accepted: ", MaxWidth: keyColumn}
	for _, a := range result.Accepted {
		t.AddRow(a.Digest, cmp.Or(inert(a.Key), "(changed or removed)"), inert(a.Scope), inert(strings.Join(a.Rules, ", ")))
	}
	s.print(t.Text(s.streams.OutColour))
	if result.Level == setup.TrustOff && wanted == "" {
		s.hint("memctl trust")
	}
	return nil
}
