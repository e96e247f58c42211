package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

type confirmOptions struct {
	value int
}

func newConfirm(a *app) *cobra.Command {
	o := &confirmOptions{}
	c := &cobra.Command{
		Use:   "confirm KEY...",
		Short: "Confirm that items are right",
		Long: `Confirm raises items to high confidence and removes the tag needs-confirmation. If an
agent confirms for you, the confidence becomes medium. --value N resolves a conflict: it
takes the Nth of the other values that show lists.`,
		Example: `  memctl confirm writing.tone
  memctl confirm tooling.formatter --value 1`,
		Args:              takes(1, -1),
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runConfirm(s, o, args) }),
		ValidArgsFunction: a.completeKeys,
	}
	bindWrite(c)
	c.Flags().IntVar(&o.value, "value", 0, "take the other value with the number `N`, counted from 1")
	return c
}

func runConfirm(s *session, o *confirmOptions, keys []string) error {
	switch {
	case o.value < 0:
		return usage("--value "+strconv.Itoa(o.value), "use a number from 1")
	case o.value > 0 && len(keys) > 1:
		return usage("--value", "use it with one key")
	}
	s.bringIn()
	return s.finish(edit.Confirm(s.ctx, s.stores, edit.ConfirmRequest{Options: s.Options, Keys: keys, Value: o.value}))
}
