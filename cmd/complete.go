package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// valuesFunc lists values that memory has, each with a tab and a description behind it, or without.
type valuesFunc func(context.Context, *store.Stores) []string

// namesFiles reports whether a name in a usage line stands for files.
func namesFiles(usage string) bool {
	return slices.ContainsFunc([]string{"FILE", "FOLDER", "DIR", "PATH", "BASE"}, func(word string) bool { return strings.Contains(usage, word) })
}

// offerValues makes the arguments of a command complete with what memory has, and its flags with
// their known values. It keeps the shell from offering files where none are meant.
func (a *app) offerValues(c *cobra.Command) {
	if c.ValidArgsFunction == nil && c.ValidArgs == nil {
		c.ValidArgsFunction = a.completeArguments
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		known := f.Annotations[offeredValues]
		if f.Value.Type() != "bool" && (known != nil || !namesFiles(name)) {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// completeArguments offers what the next argument of the usage line can be.
func (a *app) completeArguments(c *cobra.Command, args []string, typed string) (fit []string, done cobra.ShellCompDirective) {
	list := argumentsOf(c.Use)
	if namesFiles(c.Use) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	done = cobra.ShellCompDirectiveNoFileComp
	if len(list) == 0 || len(args) >= len(list) && !list[len(list)-1].many {
		return nil, done
	}
	next := list[min(len(args), len(list)-1)]
	if next.hasName("KEY") {
		fit, _ = a.completeWith(func(ctx context.Context, ss *store.Stores) []string {
			keys, _ := memory.AllKeys(ctx, ss, "")
			return keys
		})(c, args, typed)
	}
	return fit, done
}

// completeWith offers those values that begin with what is typed and are no argument yet. A fault offers nothing: a completion
// must not print.
func (a *app) completeWith(values valuesFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) (fit []string, done cobra.ShellCompDirective) {
		done = cobra.ShellCompDirectiveNoFileComp
		if err := a.changeFolder(); err != nil {
			return nil, done
		}
		a.global.quiet = true
		stores, err := a.open(c.Context())
		if err != nil {
			return nil, done
		}
		for _, value := range values(c.Context(), stores) {
			word, _, _ := strings.Cut(value, "\t")
			if word != "" && word == inert(word) && strings.HasPrefix(word, typed) && !slices.Contains(args, word) {
				fit = append(fit, value)
			}
		}
		return fit, done
	}
}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Long: `Completion prints a script that completes commands, flags and their values, and the keys
of your memory.`,
		Example: `  source <(memctl completion bash)
  memctl completion zsh > "${fpath[1]}/_memctl"
  memctl completion fish > ~/.config/fish/completions/memctl.fish`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			out, root := a.streams.Out, c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
	}
}
