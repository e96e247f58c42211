package cmd

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/view"
)

// keysAct is an act on items that are named by key.
type keysAct func(context.Context, *store.Stores, edit.KeysRequest) ([]memory.Write, error)

// newKeysCommand makes the command of such an act.
func newKeysCommand(a *app, act keysAct, c *cobra.Command) *cobra.Command {
	c.RunE = a.runner(needWrite, func(s *session, keys []string) error {
		s.commitPending()
		return s.finish(act(s.ctx, s.stores, edit.KeysRequest{Options: s.Options, Keys: keys}))
	})
	return bindWrite(c)
}

func newLock(a *app) *cobra.Command {
	off := false
	c := newKeysCommand(a, func(ctx context.Context, ss *store.Stores, req edit.KeysRequest) ([]memory.Write, error) {
		if off {
			return edit.Unlock(ctx, ss, req)
		}
		return edit.Lock(ctx, ss, req)
	}, &cobra.Command{
		Use:   "lock KEY|ID...",
		Short: "Let only a person change memories",
		Long: `Lock protects memories: agents and automatic writes can neither change nor forget them.
Only a person can remove a lock with --off.`,
		Example: "  memctl lock security.review-required\n  memctl lock 'security.*'\n  memctl lock --off security.review-required",
	})
	c.Flags().BoolVar(&off, "off", false, "remove the lock")
	return c
}

func newConfirm(a *app) *cobra.Command {
	value, undo := 0, false
	c := &cobra.Command{
		Use:   "confirm KEY|ID...",
		Short: "Confirm that memories are right, or mark them as doubtful",
		Long: `Confirm raises items to high confidence, makes them your own statements and removes the
tag needs-confirmation. If a write of KEY waits in review, confirm keeps it too. KEY may
be a glob. If an agent confirms for you, the confidence becomes medium. If you have since
told an agent another value, confirm takes the newer value. --value N takes the value with
that number in "memctl show".

With --undo it lowers items and facts to low confidence. They stay in the file and wait for
review, and agents do not receive them in the profile.`,
		Example: `  memctl confirm writing.tone
  memctl confirm 'writing.*' 'style.*'
  memctl confirm tooling.formatter --value 1
  memctl confirm --undo tooling.formatter`,
		RunE: a.runner(needWrite, func(s *session, args []string) error {
			if undo {
				s.commitPending()
				return s.finish(edit.Doubt(s.ctx, s.stores, edit.KeysRequest{Options: s.Options, Keys: args}))
			}
			return runConfirm(s, value, args)
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&undo, "undo", false, "mark the memories as doubtful")
	c.Flags().IntVar(&value, "value", 0, "take the value with the number `N`")
	c.MarkFlagsMutuallyExclusive("undo", "value")
	return c
}

func runConfirm(s *session, value int, keys []string) error {
	switch {
	case value < 0:
		return usage("--value "+strconv.Itoa(value), "use a number from 1")
	case value > 0 && len(keys) > 1:
		return usage("--value", "use it with one key")
	}
	s.commitPending()
	return s.finish(review.Confirm(s.ctx, s.stores, edit.ConfirmRequest{Options: s.Options, Keys: keys, Value: value}))
}

func newVerify(a *app) *cobra.Command {
	c := newKeysCommand(a, edit.Verify, &cobra.Command{
		Use:   "verify [ID...]",
		Short: "List the facts whose code has changed, or confirm that facts still match it",
		Long: `Verify lists the facts whose anchors (--anchor of memctl remember) point to lines that
were changed or removed since. Lines that only moved do not count. It also lists facts
that name a file that is gone. If you give the IDs of facts that are still true, it
updates their anchors to the present code.`,
		Example: `  memctl verify
  memctl verify 1f0c4a2b`,
	})
	update := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return update(c, args)
		}
		return reads(a, func(s *session, _ []string) (view.StaleResult, error) {
			return view.Stale(s.ctx, s.stores, s.Reader(), s.Scope)
		}, (*session).printStale)(c, args)
	}
	return c
}

func (s *session) printStale(result view.StaleResult) error {
	switch {
	case result.Checked == 0:
		s.note("no-anchors", "no fact has an anchor yet", `memctl remember "retries live in client.go" --anchor client.go#L10-L24`)
	case len(result.Entries) == 0:
		s.note("anchors-fresh", count(result.Checked, "fact")+" with an anchor, all up to date")
	default:
		s.note("anchors-stale", fmt.Sprintf("%d of %s with an anchor may be out of date", len(result.Entries), count(result.Checked, "fact")))
	}
	return s.printEntries(result.Entries, func(v view.Record) string { return v.Scope })
}
