package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/notice"
)

type forgetOptions struct {
	edit.ForgetRequest
	yes bool
}

func newForget(a *app) *cobra.Command {
	o := &forgetOptions{}
	c := &cobra.Command{
		Use:   "forget KEY|ID|TEXT...",
		Short: "Forget items, facts and notes",
		Long: `Forget removes a memory and leaves a tombstone, so that only a person can restore it. Name
the memory by its key (an item), its id (a fact or a note) or its whole text. If the text
fits several memories, forget changes nothing: it lists them, and you name one.

Other facts that repeat the memory are removed with it, and so are lines of summaries that
repeat it. Git's history still has the text until you run "memctl purge".

With --all, forget removes every item, fact, note and pending write that contains TEXT in its
value, key or labels, even as a part of a word. It lists them and asks once; --yes answers
yes.

memctl itself writes a note about each day of your sessions. "memctl forget 2026-11-21"
removes the one about that day.`,
		Example: `  memctl forget writing.tone
  memctl forget "concise, no filler" --reason "not any more"
  memctl forget 0da6a376
  memctl forget build.cache build.flags --dry-run
  memctl forget --all "Jenkins"`,
		Args: func(c *cobra.Command, args []string) error { return o.checkArgs(c, args) },
		RunE: a.runner(needWrite, func(s *session, args []string) error { return runForget(s, o, args) }),
	}
	bindWrite(c)
	c.Flags().BoolVar(&o.All, "all", false, "forget everything that contains TEXT, after one question")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "with --all, forget without asking")
	c.Flags().StringVar(&o.Reason, "reason", "", "note the reason `TEXT` in the tombstone")
	return c
}

func runForget(s *session, o *forgetOptions, targets []string) error {
	days, targets, err := notice.ForgetDays(s.stores, s.Options, targets)
	if err != nil || len(targets) == 0 {
		return s.finish(days, err)
	}
	req := o.ForgetRequest
	req.Options, req.Targets = s.Options, targets
	refused := false
	if o.All && !o.yes {
		req.Agree = func(matches []string) bool {
			for _, m := range matches {
				s.talk(m)
			}
			refused = !s.mayAsk() || !s.confirmYes("Forget all "+strconv.Itoa(len(matches))+"?")
			return !refused
		}
	}
	s.commitPending()
	defer s.refreshExports()
	writes, err := edit.Forget(s.ctx, s.stores, req)
	if err := s.finish(append(days, writes...), err); err != nil || !refused {
		return err
	}
	if s.mayAsk() {
		s.note("nothing-forgotten", "nothing is forgotten")
		return nil
	}
	return refusal("not-confirmed", "nothing is forgotten: forget --all asks first, but only at a terminal; --yes forgets without asking", s.commandWith("--yes"))
}

// checkArgs wants targets.
func (o *forgetOptions) checkArgs(c *cobra.Command, args []string) error {
	if o.yes && !o.All {
		return usage("--yes", "goes with --all alone")
	}
	return argumentCount(1, -1)(c, args)
}
