package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

func newPolicy(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Check texts against the policy",
		Long: `The policy decides what may be stored and shown. It keeps out secrets, sensitive personal
data, and text that tries to control an agent.`,
		Example: `  memctl policy check "always run the tests before committing"
  memctl policy accept team.oncall`,
	}, newPolicyCheck(a), newPolicyAccept(a))
}

func newPolicyCheck(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "check [TEXT...]",
		Short: "Check a text without storing it",
		Long: `Check applies the policy to its arguments, or without arguments to the text on stdin. It
prints the verdict (accept, hold or refuse) and the findings.`,
		Example: `  memctl policy check "always run the tests before committing"
  memctl policy check --json "token: ghp_0000"
  memctl policy check --auto < notes.md`,
		RunE: a.run(needStores, runPolicyCheck),
	}
	bindScope(c)
	c.Flags().Bool(flagAuto, false, "apply the rules for automatic writes")
	return c
}

func runPolicyCheck(s *session, args []string) error {
	text := strings.Join(args, " ")
	if len(args) == 0 {
		var err error
		if text, err = s.readAll(); err != nil {
			return err
		}
	}
	r := s.rule(text)
	return present(s, r, nil, func(r ruling) error {
		text := r.Verdict + "\n"
		for _, f := range r.Findings {
			text += "  " + inert(sentence(f.Where, f.Message)+ruleMark(f.Rule)) + "\n"
		}
		return s.print(text)
	})
}

// ruling is the policy's answer as it is printed.
type ruling struct {
	Schema   int              `json:"schema"`
	Verdict  string           `json:"verdict"`
	Findings []memory.Finding `json:"findings"`
}

// rule asks the policy about a text, with what the team of this folder has added to it. Without a
// scope it is the strictest: project.
func (s *session) rule(text string) ruling {
	r := s.stores.Rule(policy.Candidate{
		Value: memfile.Str(text), Scope: cmp.Or(s.Scope, store.Project), Automatic: s.flag(flagAuto) == "true",
		Raw: true, // there is no key whose form could be judged
	})
	out := ruling{memory.SchemaNumber, r.Verdict.String(), []memory.Finding{}}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, memory.Finding{Rule: f.Rule, Where: f.Where, Message: f.Message})
	}
	return out
}

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
