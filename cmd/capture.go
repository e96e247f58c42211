package cmd

import (
	"github.com/spf13/cobra"
)

type captureOptions struct {
	check bool
}

func newCapture(a *app) *cobra.Command {
	o := &captureOptions{}
	c := &cobra.Command{
		Use:   "capture [FILE|-]",
		Short: "Find what you told coding agents, and keep it",
		Long: `Capture finds lasting statements in what a person said.`,
		Example: `  memctl capture --check - < messages.jsonl`,
		Args: takes(0, 1),
		RunE: a.run(needNothing, func(s *session, args []string) error {
			return runCaptureCheck(s, args[0])
		}),
	}
	c.Flags().BoolVar(&o.check, "check", false, "answer JSON Lines {\"text\",\"previous\"} with what the rules find, and store nothing")
	return c
}
