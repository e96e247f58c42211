package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/edit"
)

type forgetOptions struct {
	write  writeOptions
	reason string
	also   bool
}

func newForget(a *app) *cobra.Command {
	o := &forgetOptions{}
	c := &cobra.Command{
		Use:   "forget KEY|ID|TEXT...",
		Short: "Forget items, facts and notes, so that they do not come back",
		Long: `Forget takes items out of the memory file and leaves a tombstone, so that nothing
brings them back but a person. An item is named by its key, a fact or a note by its
id; either by its text: the one whose text is equal, else, for a person, the only one
that contains it as whole words, of eight characters or more. Where several match,
they are listed and nothing is forgotten.

Facts that say the same go along, and summaries lose the lines that do. Entries that
only contain the text of what went are listed, and --also takes them. Git still has
what was forgotten.`,
		Example: `  memctl forget writing.tone
  memctl forget "concise, no filler" --reason "not any more"
  memctl forget 0da6a376
  memctl forget build.cache build.flags --dry-run`,
		Args:              takes(1, -1),
		RunE:              a.run(needWrite, func(s *session, args []string) error { return runForget(s, o, args) }),
		ValidArgsFunction: a.completeKeys,
	}
	o.write.bind(c)
	c.Flags().StringVar(&o.reason, "reason", "", "`TEXT`: why, in a few words, for the tombstone")
	c.Flags().BoolVar(&o.also, "also", false, "forget the entries too that only contain the text")
	return c
}

func runForget(s *session, o *forgetOptions, targets []string) error {
	options, err := o.write.options(s.app, false)
	if err != nil {
		return err
	}
	s.bringIn(options)
	return s.finish(edit.Forget(s.ctx, s.stores, edit.ForgetRequest{Options: options, Targets: targets, Reason: o.reason, Also: o.also}))
}
