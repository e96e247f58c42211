package setup

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// ChangeSetting writes the value of one setting to git config, at the level where it is set
// already, else to the person's own configuration, and returns that place in words.
// Refused: a value that the setting does not allow, and a setting that another command keeps.
func ChangeSetting(ctx context.Context, ss *store.Stores, name, text string) (where string, err error) {
	row, ok := rowOf(name)
	other := map[string]string{
		store.Trust.Name: "memctl trust", "memctl.protectedBranch": "git config --add memctl.protectedBranch main",
	}[name]
	if !ok || other != "" { // config lists the remotes of stores, too
		return "", &fault.Error{Code: "not-set-here", Status: 1, Cause: memory.Quoted(name) + " is set with another command", Hints: []string{cmp.Or(other, "memctl help sync")}}
	}
	if _, err := settings.Resolve(row, func(string) string { return "" }, one{text}); err != nil {
		return "", &fault.Error{Code: fault.Setting, Status: 2, Cause: memory.Quoted(text) + ": " + row.Allowed()}
	}
	now, _ := ss.Setting(ctx, row) // a value that is not allowed says its level too
	defer ss.ForgetConfig()
	switch level := now.Level(); {
	case level == "local" && ss.Repo() != nil:
		return "this repository's git config", ss.Repo().SetConfig(ctx, row.Name, text)
	case level == "worktree", level == "system":
		return "", &fault.Error{Code: "not-set-here", Status: 1, Cause: memory.Quoted(name) + " is set in git config at the level " + level, Hints: []string{now.ChangeCommand(shell.Quote(text))}}
	}
	return "your own git config (--global)", gitops.ChangeGlobalConfig(ctx, gitops.ReplaceAll, row.Name, text)
}

func rowOf(name string) (settings.Row, bool) {
	for _, row := range Rows() {
		if row.Name == name {
			return row, true
		}
	}
	return settings.Row{}, false
}

// one is a source of settings that gives every setting one value.
type one struct{ text string }

func (o one) Entries(string) []settings.Entry {
	return []settings.Entry{{Value: o.text, Level: "global"}}
}
