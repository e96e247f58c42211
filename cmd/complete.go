package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
)

// completeKeys offers the keys of all readable items. A fault offers nothing:
// a completion must not print.
func (a *app) completeKeys(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const done = cobra.ShellCompDirectiveNoFileComp
	if a.enter() != nil {
		return nil, done
	}
	a.global.quiet = true
	stores, err := a.open(c.Context())
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
