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
		Long: `Forget removes items from the memory file and leaves a tombstone, so that only a person
can restore them. Name an item by its key, and a fact or a note by its id. You can also
give the whole text. If several memories have this text, forget lists them and changes
nothing.

Facts that say the same are forgotten too, and summaries lose the lines that say it. If
other entries contain the text among other words, forget keeps and counts them. Git
still has the forgotten text; "memctl purge" removes it from git.

With --all, forget removes every item, fact, note and pending write that contains TEXT in its
value, key or labels, even as a part of a word. It lists them and asks once; --yes answers
yes.

With a day such as 2026-11-21, forget removes the note that memctl wrote about that day.`,
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
