package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
)

// keysAct is an act on items that are named by key.
type keysAct func(context.Context, *store.Stores, edit.KeysRequest) ([]memory.Write, error)

// newKeysCommand makes the command of such an act.
func newKeysCommand(a *app, act keysAct, c *cobra.Command) *cobra.Command {
	c.RunE = a.run(needWrite, func(s *session, keys []string) error {
		s.bringIn()
		return s.finish(act(s.ctx, s.stores, edit.KeysRequest{Options: s.Options, Keys: keys}))
	})
	bindWrite(c)
	return c
}

func newDoubt(a *app) *cobra.Command {
	return newKeysCommand(a, edit.Doubt, &cobra.Command{
		Use:   "doubt KEY|ID...",
		Short: "Mark items or facts as doubtful",
		Long: `Doubt lowers items and facts to low confidence. They stay in the file and wait for review, and
agents do not receive them in the profile.`,
		Example: `  memctl doubt tooling.formatter`,
	})
}

func newLock(a *app) *cobra.Command {
	return newKeysCommand(a, edit.Lock, &cobra.Command{
		Use:     "lock KEY|ID...",
		Short:   "Let only a person change memories",
		Long:    `Lock protects memories: agents and automatic writes can neither change nor forget them.`,
		Example: `  memctl lock security.review-required`,
	})
}

func newUnlock(a *app) *cobra.Command {
	return newKeysCommand(a, edit.Unlock, &cobra.Command{
		Use:     "unlock KEY|ID...",
		Short:   "Remove the lock of memories",
		Long:    `Unlock lets agents change them again. Only a person can unlock.`,
		Example: `  memctl unlock security.review-required`,
	})
}
