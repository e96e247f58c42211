package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

func newRename(a *app) *cobra.Command {
	lift := false
	c := &cobra.Command{
		Use:   "rename KEY NEW",
		Short: "Give an item another key",
		Long: `Rename changes the key of an item and keeps everything else: value, dates, confidence,
tags and lock. "memctl log NEW" and "memctl why NEW" show the history of the old key too,
and the old key can be used again.

Rename refuses a key that another item has, and a forgotten key unless --lift is given.
Only a person can rename.`,
		Example: `  memctl rename testing.run testing.command
  memctl rename style.tone writing.tone --scope user`,
		RunE: a.run(needWrite, func(s *session, args []string) error {
			s.commitPending()
			return s.finishOne(edit.Rename(s.ctx, s.stores, edit.RenameRequest{Options: s.Options, Key: args[0], New: args[1], Lift: lift}))
		}),
	}
	bindWrite(c)
	c.Flags().BoolVar(&lift, "lift", false, "allow a forgotten key, and remove its tombstone")
	return c
}
