package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
)

// namesFiles reports whether a name in a usage line stands for files.
func namesFiles(usage string) bool {
	for _, word := range []string{"FILE", "FOLDER", "DIR", "PATH", "BASE"} {
		if strings.Contains(usage, word) {
			return true
		}
	}
	return false
}

// offerValues makes flags below c complete with what memory and git have for them, and keeps the shell from
// offering files for arguments and flags that take none.
func (a *app) offerValues(c *cobra.Command) {
	for _, sub := range c.Commands() {
		a.offerValues(sub)
	}
	if c.ValidArgsFunction == nil && c.ValidArgs == nil && !namesFiles(c.Use) {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		values, known := valuesOfFlag(f.Name), f.Annotations[offeredValues]
		switch {
		case f.Value.Type() == "bool":
		case values != nil:
			_ = c.RegisterFlagCompletionFunc(f.Name, a.completeOneOf(values))
		case known != nil || !namesFiles(name):
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// mostIDs is how many ids of facts and notes are offered where nothing is typed yet.
const mostIDs = 20

// completeIDs offers the ids of facts, notes and summaries, each with its text, newest first.
func (a *app) completeIDs(c *cobra.Command, args []string, typed string) (fit []string, done cobra.ShellCompDirective) {
	done = cobra.ShellCompDirectiveNoFileComp
	stores, err := a.completing(c)
	if err != nil {
		return nil, done
	}
	list, err := view.Entries(c.Context(), stores, "")
	if err != nil {
		return nil, done
	}
	slices.SortStableFunc(list, func(a, b view.LiveEntry) int { return b.Time().Compare(a.Time()) })
	for _, e := range list {
		id := short(e.ID)
		if typed == "" && len(fit) == mostIDs {
			break
		}
		if !strings.HasPrefix(id, typed) || slices.Contains(args, id) || e.Tier() == entry.Turn {
			continue
		}
		text := ""
		if !e.Hidden() {
			text, _, _ = strings.Cut(inert(e.Text), "\n")
		}
		fit = append(fit, id+"\t"+text)
	}
	return fit, done
}

// completing opens the stores for a completion, which must not print.
func (a *app) completing(c *cobra.Command) (*store.Stores, error) {
	if err := a.enter(); err != nil {
		return nil, err
	}
	a.global.quiet = true
	return a.open(c.Context())
}

// completeKeysAndIDs offers keys, then ids.
func (a *app) completeKeysAndIDs(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	keys, _ := a.completeKeys(c, args, typed)
	ids, done := a.completeIDs(c, args, typed)
	return append(keys, ids...), done
}

// completeOneKeyOrID offers keys and ids for the first argument alone.
func (a *app) completeOneKeyOrID(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeKeysAndIDs(c, args, typed)
}

// completeKeys offers the keys of all readable items. A fault offers nothing:
// a completion must not print.
func (a *app) completeKeys(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const done = cobra.ShellCompDirectiveNoFileComp
	stores, err := a.completing(c)
	if err != nil {
		return nil, done
	}
	keys, err := memory.AllKeys(c.Context(), stores, "")
	if err != nil {
		return nil, done
	}
	var fit []string
	for _, key := range keys {
		if strings.HasPrefix(key, typed) && !slices.Contains(args, key) && key == inert(key) {
			fit = append(fit, key)
		}
	}
	return fit, done
}

// completeOneKey offers keys for the first argument alone.
func (a *app) completeOneKey(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeKeys(c, args, typed)
}
