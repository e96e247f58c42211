package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/setup"
)

// settingPrefix begins every setting's name in git config; it may be left out
// on the command line.
const settingPrefix = "memctl."

// settingsJSON is the object that config prints.
type settingsJSON struct {
	Schema   int                 `json:"schema"`
	Settings []setup.SettingView `json:"settings"`
}

func newConfig(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config [NAME]",
		Short: "Show the settings, and where each value comes from",
		Long: `Config lists every setting with its value and where that came from: a default, an
environment variable, or a level of git config. With NAME it prints that value
alone. Settings are changed with git config; a key or password is never
printed: such a setting says "set" and no more.`,
		Example: `  memctl config
  memctl config autoScope
  git config memctl.autoScope private`,
		Args: takes(0, 1),
		RunE: a.run(needStores, runConfig),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeSettings(c, args)
		},
	}
}

func runConfig(s *session, args []string) error {
	views, err := setup.Settings(s.ctx, s.stores)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		one, err := findSetting(views, args[0])
		if err != nil {
			return err
		}
		if !s.global.json {
			return s.print(inert(one.Value) + "\n")
		}
		views = []setup.SettingView{one}
	}
	if s.global.json {
		return s.printJSON(settingsJSON{memory.SchemaNumber, views})
	}
	t := term.Table{Max: 60}
	for _, v := range views {
		value := term.Cell{Text: inert(v.Value)}
		if value.Text == "" {
			value = term.Cell{Text: "(unset)", Style: term.Faint}
		}
		t.Cells(term.Cell{Text: v.Name, Style: term.Strong}, value, term.Cell{Text: inert(v.Origin), Style: term.Faint})
	}
	return t.Write(s.streams.Out, s.streams.OutColour)
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
	return setup.SettingView{}, &fault.Error{Code: "not-found", Status: statusRefused, Cause: named(name, "no such setting"), Hints: hints}
}

func (a *app) completeSettings(c *cobra.Command, args []string) ([]string, cobra.ShellCompDirective) {
	const done = cobra.ShellCompDirectiveNoFileComp
	stores, err := a.open(c.Context())
	if err != nil || len(args) > 0 {
		return nil, done
	}
	views, err := setup.Settings(c.Context(), stores)
	if err != nil {
		return nil, done
	}
	var names []string
	for _, v := range views {
		names = append(names, v.Name)
	}
	return names, done
}
