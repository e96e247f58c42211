package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

type renameOptions struct {
	write writeOptions
	lift  bool
}

func newRename(a *app) *cobra.Command {
	o := &renameOptions{}
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
		Args:              takes(2, 2),
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runRename(s, o, args) }),
		ValidArgsFunction: a.completeOneKey,
	}
	o.write.bind(c)
	c.Flags().BoolVar(&o.lift, "lift", false, "allow a forgotten key, and remove its tombstone")
	return c
}

func runRename(s *session, o *renameOptions, args []string) error {
	options, err := o.write.options(s.app, false)
	if err != nil {
		return err
	}
	s.bringIn(options)
	return s.finishOne(edit.Rename(s.ctx, s.stores, edit.RenameRequest{Options: options, Key: args[0], New: args[1], Lift: o.lift}))
}
