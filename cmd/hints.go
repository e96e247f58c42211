package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
)

// askPerson stands before the commands that only a person may run, where an agent reads
// them.
const askPerson = "ask the person to run: "

// rulesForPerson are the rules of refusals that a person's own command would not meet.
var rulesForPerson = []string{"explicit-only", "locked", "forgotten", "disabled"}

// hintsOf are the hints of a refusal by a rule, about a key ("" for none), as they are
// printed: whole commands, and for an agent those that it cannot run marked as the person's.
// The command that failed is no hint for a person; an agent asks the person to run it.
func (a *app) hintsOf(hints []string, rule, key, origin string) []string {
	var list []string
	for _, hint := range hints {
		hint = a.withScope(hint, key)
		if origin == memory.Explicit && hint == "memctl "+strings.Join(a.line, " ") {
			continue
		}
		if origin != memory.Explicit && slices.Contains(rulesForPerson, rule) && !strings.HasPrefix(hint, askPerson) {
			hint = askPerson + hint
		}
		list = append(list, hint)
	}
	return list
}

// withScope makes of a hint that names a scope alone, or a scope and an id, the command
// that runs, with the same flags and that scope.
func (a *app) withScope(hint, key string) string {
	rest, ok := strings.CutPrefix(hint, "--scope ")
	if !ok || a.command == nil {
		return hint
	}
	scope, id, _ := strings.Cut(rest, " ")
	args := a.command.Flags().Args()
	if id != "" || len(args) == 0 {
		args = []string{cmp.Or(id, key)}
	}
	return commandLine(a.command, args, a.command.NonInheritedFlags(), flagScope) + " --scope " + scope
}

// commandLine is a command with these arguments and those of the flags that are set, without one of them.
func commandLine(c *cobra.Command, args []string, flags *pflag.FlagSet, without string) string {
	words := slices.Clone(args)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != without {
			words = append(words, flagWords(f)...)
		}
	})
	return redact(strings.TrimSpace(c.CommandPath() + " " + quoted(words)))
}

// commandWith is the command line with more at its end.
func (a *app) commandWith(more string) string { return redact("memctl "+quoted(a.line)) + " " + more }

// quoted writes words so that a shell reads them back as they are.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = shell.Quote(word)
	}
	return strings.Join(list, " ")
}

// flagWords are the words that set a flag to the value that it has.
func flagWords(f *pflag.Flag) []string {
	var words []string
	for _, value := range flagValues(f) {
		if f.Value.Type() == "bool" && value == "true" {
			words = append(words, "--"+f.Name)
			continue
		}
		words = append(words, "--"+f.Name, value)
	}
	return words
}

// flagValues are the values of a flag: of one that may be repeated several.
func flagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}
