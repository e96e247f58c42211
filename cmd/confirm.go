package cmd

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

func newConfirm(a *app) *cobra.Command {
	value := 0
	c := &cobra.Command{
		Use:   "confirm KEY...",
		Short: "Confirm that items are right",
		Long: `Confirm raises items to high confidence and removes the tag needs-confirmation. If an
agent confirms for you, the confidence becomes medium. --value N resolves a conflict: it
takes the Nth of the other values that show lists.`,
		Example: `  memctl confirm writing.tone
  memctl confirm tooling.formatter --value 1`,
		RunE: a.run(needWrite, func(s *session, args []string) error { return runConfirm(s, value, args) }),
	}
	bindWrite(c)
	c.Flags().IntVar(&value, "value", 0, "take the other value with the number `N`, counted from 1")
	return c
}

func runConfirm(s *session, value int, keys []string) error {
	switch {
	case value < 0:
		return usage("--value "+strconv.Itoa(value), "use a number from 1")
	case value > 0 && len(keys) > 1:
		return usage("--value", "use it with one key")
	}
	s.bringIn()
	return s.finish(edit.Confirm(s.ctx, s.stores, edit.ConfirmRequest{Options: s.Options, Keys: keys, Value: value}))
}
