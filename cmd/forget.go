package cmd

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/notice"
)

type forgetOptions struct {
	edit.ForgetRequest
	yes bool

	captured bool
	since    string
}

func newForget(a *app) *cobra.Command {
	o := &forgetOptions{}
	c := &cobra.Command{
		Use:   "forget KEY|ID|TEXT...",
		Short: "Forget items, facts and notes",
		Long: `Forget removes items from the memory file and leaves a tombstone, so that only a person can
restore them. Name an item by its key, and a fact or a note by its id. You can also give the
whole text, or a part of it: eight characters or more, in whole words, that only one memory
contains. If several match, forget lists them and changes nothing.

Facts that say the same are forgotten too, and summaries lose the lines that say it. Entries
that only contain the text are listed. Git still has what was forgotten; "memctl purge"
removes it from there.

With --all, forget removes every item, fact, note and pending write that contains TEXT in its
value, key or labels, even as a part of a word. It lists them and asks once; --yes answers yes.

With --captured, forget removes everything that memctl noted from your prompts to agents
(memctl.capture): stored items, proposals in review and notes of the day. With
keys it removes only these.`,
		Example: `  memctl forget writing.tone
  memctl forget "concise, no filler" --reason "not any more"
  memctl forget 0da6a376
  memctl forget build.cache build.flags --dry-run
  memctl forget --all "Jenkins"
  memctl forget --captured --since today`,
		Args: func(c *cobra.Command, args []string) error { return o.checkArgs(c, args) },
		RunE: a.run(needWrite, func(s *session, args []string) error { return runForget(s, o, args) }),
	}
	bindWrite(c)
	c.Flags().BoolVar(&o.All, "all", false, "forget everything that contains TEXT, after one question")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "with --all, forget without asking")
	c.Flags().StringVar(&o.Reason, "reason", "", "note the reason `TEXT` in the tombstone")
	c.Flags().BoolVar(&o.captured, "captured", false, "forget what memctl noted from your prompts, whether stored or waiting")
	c.Flags().StringVar(&o.since, "since", "", "with --captured, forget only what was noted since `DAY`: 2026-11-22, or today")
	offer(c, "since", "today")
	return c
}

func runForget(s *session, o *forgetOptions, targets []string) error {
	if o.captured {
		return s.forgetCaptured(o.since, targets)
	}
	req := o.ForgetRequest
	req.Options, req.Targets = s.Options, targets
	refused := false
	if o.All && !o.yes {
		req.Agree = func(matches []string) bool {
			for _, m := range matches {
				s.talk(m)
			}
			refused = !s.mayAsk() || !s.ask("Forget all "+strconv.Itoa(len(matches))+"?")
			return !refused
		}
	}
	s.commitPending()
	defer s.refreshExports()
	if err := s.finish(edit.Forget(s.ctx, s.stores, req)); err != nil || !refused {
		return err
	}
	if s.streams.Interactive() {
		s.note("nothing-forgotten", "nothing is forgotten")
		return nil
	}
	return refusal("not-confirmed", "nothing is forgotten", s.commandWith("--yes"))
}

// checkArgs wants targets, unless --captured is there.
func (o *forgetOptions) checkArgs(c *cobra.Command, args []string) error {
	switch {
	case o.since != "" && !o.captured:
		return usage("--since", "goes with --captured alone")
	case o.yes && !o.All:
		return usage("--yes", "goes with --all alone")
	case o.All && o.captured:
		return usage("--all", "does not go with --captured")
	case o.captured:
		return nil
	}
	return takes(1, -1)(c, args)
}

// forgetCaptured forgets what was noted of the person's prompts.
func (s *session) forgetCaptured(since string, keys []string) error {
	day, err := s.sinceDay(since)
	if err != nil {
		return err
	}
	if since != "" {
		since = day.UTC().Format(time.DateOnly)
	}
	writes, err := notice.ForgetCaptured(s.ctx, s.stores, s.Options, notice.Captured{Since: since, Keys: keys})
	if err == nil && len(writes) == 0 {
		s.note("no-prompts-noted", "nothing of your prompts was noted")
		return nil
	}
	return s.finish(writes, err)
}
