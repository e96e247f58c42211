package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory/setup"
)

// The file's shared switches, as the document names them.
const (
	switchEnabled  = "enabled"
	switchAnnounce = setup.AnnounceWrites
)

// setSwitch sets one of the shared switches.
func (s *session) setSwitch(name string, on bool) error {
	s.commitPending()
	return s.finishOne(setup.SetSetting(s.ctx, s.stores, setup.SettingRequest{Options: s.Options, Name: name, On: on}))
}

// newSwitch is the command that sets enabled.
func newSwitch(a *app, on bool, c *cobra.Command) *cobra.Command {
	c.RunE = a.run(needWrite, func(s *session, _ []string) error { return s.setSwitch(switchEnabled, on) })
	return bindWrite(c)
}

func newEnable(a *app) *cobra.Command {
	return newSwitch(a, true, &cobra.Command{
		Use:   "enable",
		Short: "Let agents use the memory again",
		Long: `Enable sets enabled to true in the memory file, for everyone who shares it. The setting
memctl.enabled is your own switch.`,
		Example: `  memctl enable
  memctl enable --scope user`,
	})
}

func newDisable(a *app) *cobra.Command {
	return newSwitch(a, false, &cobra.Command{
		Use:   "disable",
		Short: "Keep the memory, but hide it from agents",
		Long: `Disable sets enabled to false in the memory file, for everyone who shares it. Agents then
receive nothing from it and cannot write to it. Your own commands, such as show, recall,
add and forget, still work.`,
		Example: `  memctl disable
  memctl disable --scope user`,
	})
}
