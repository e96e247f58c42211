package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/setup"
)

// settingPrefix begins every setting's name in git config; it may be left out
// on the command line.
const settingPrefix = "memctl."

// settingsJSON is the object that config prints.
type settingsJSON struct {
	Settings []setup.SettingView `json:"settings"`
}

func newConfig(a *app) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "config [NAME [VALUE]]",
		Short: "Show the settings, or change one",
		Long: `Config shows the everyday settings and those that you have set: the value, where it
comes from, and what the setting does. With --all it shows every setting.

With NAME it prints one value. With NAME and VALUE it writes the value to git config: where
the setting is set already, else to your own configuration (git config --global). Keys
and passwords are never printed; such a setting shows "set".

Two settings can be in a memory file, for everyone who shares it; --scope says in which.
If announce_writes is on, each write prints one line. If "enabled" is off, agents get
nothing from this memory and cannot write to it. Without --scope, "enabled" is your own
switch.`,
		Example: `  memctl config
  memctl config autoScope
  memctl config capture off
  memctl config announce_writes off --scope user
  memctl config enabled off --scope project
  memctl config --all`,
		RunE: func(c *cobra.Command, args []string) error {
			scope := c.Flag(flagScope).Value.String()
			if len(args) == 2 && (args[0] == setup.AnnounceWrites || args[0] == setup.FileEnabled && scope != "") {
				value := settings.NormalGitBool(args[1])
				if value != "true" && value != "false" {
					return oneOf(args[0], value, "memctl config "+args[0], "on", "off")
				}
				return a.runner(needWrite, func(s *session, _ []string) error {
					s.commitPending()
					return s.finishOne(setup.SetSetting(s.ctx, s.stores, setup.SettingRequest{Options: s.Options, Name: args[0], On: value == "true"}))
				})(c, args)
			}
			if scope != "" {
				return usage("--scope", "is only for announce_writes and enabled", "memctl config announce_writes off --scope "+shell.Quote(scope))
			}
			return a.runner(needStores, func(s *session, args []string) error {
				if len(args) == 2 {
					return runSetConfig(s, args)
				}
				return runConfig(s, all, args)
			})(c, args)
		},
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "show every setting")
	bindScope(c)
	return c
}

func runConfig(s *session, all bool, args []string) error {
	views, failed := setup.Settings(s.ctx, s.stores)
	if len(args) == 1 {
		one, err := findSetting(views, args[0])
		if err != nil {
			return err
		}
		if of := fault.Find(failed, fault.Setting); of == nil || of.Thing != one.Name {
			failed = nil // another setting's value
		}
		if !s.global.json {
			return errors.Join(failed, s.print(inert(one.Value)+"\n"))
		}
		views = []setup.SettingView{one}
	}
	if s.global.json {
		return errors.Join(failed, s.printJSON(settingsJSON{views}))
	}
	hidden := 0
	t := term.Table{MaxWidth: 60}
	for _, v := range views {
		if v.Seldom && v.Origin == settings.OriginDefault && !all {
			hidden++
			continue
		}
		value := term.Cell{Text: inert(v.Value)}
		if value.Text == "" {
			value = term.Cell{Text: "(unset)", Style: term.Faint}
		}
		t.AddCells(term.Cell{Text: v.Name, Style: term.Strong}, value, term.Cell{Text: inert(v.Origin), Style: term.Faint})
		t.AddCells(term.Cell{Text: "    " + v.Help})
	}
	if err := errors.Join(failed, s.printTable(&t)); err != nil {
		return err
	}
	for _, v := range setup.UnknownSettings(s.ctx, s.stores) {
		s.talk("warning: " + unknownText(v))
	}
	if hidden == 0 {
		return nil
	}
	s.note("more-settings", count(hidden, "more setting")+", all with their defaults", "memctl config --all")
	return nil
}

// unknownText says that a setting has no effect.
func unknownText(v setup.SettingView) string {
	return inert(v.Name) + " (" + inert(v.Origin) + ") is no setting of this version, and has no effect"
}

// runSetConfig writes one setting to git config.
func runSetConfig(s *session, args []string) error {
	views, _ := setup.Settings(s.ctx, s.stores) // a value that is wrong may be the one to replace
	one, err := findSetting(views, args[0])
	if err != nil {
		return err
	}
	if err := onlyPerson(s.Options, "config", askPerson+"memctl config "+shell.Quote(args[0])+" "+shell.Quote(args[1])); err != nil {
		return err
	}
	where, err := setup.ChangeSetting(s.ctx, s.stores, one.Name, args[1])
	if err != nil {
		return err
	}
	s.note("set-elsewhere", one.Name+" is set in "+where)
	if one.Env != "" && s.getenv(one.Env) != "" {
		s.talk("warning: the environment variable " + one.Env + " overrides it")
	}
	return nil
}

// findSetting finds a setting by its name, in any case, with or without the
// section.
func findSetting(views []setup.SettingView, name string) (setup.SettingView, error) {
	short := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), settingPrefix) }
	var names []string
	for _, v := range views {
		if short(v.Name) == short(name) {
			return v, nil
		}
		names = append(names, strings.TrimPrefix(v.Name, settingPrefix))
	}
	hints := prefixed("memctl config ", nearest(strings.TrimPrefix(name, settingPrefix), names))
	if len(hints) == 0 {
		hints = []string{"memctl config"}
	}
	return setup.SettingView{}, refusal("not-found", named(name, "no such setting"), hints...)
}
