package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memory"
)

// askPerson stands before the commands that only a person may run, where an agent reads
// them.
const askPerson = "ask the person to run: "

// rulesForPerson are the rules of refusals that a person's own command would not meet.
var rulesForPerson = []string{"explicit-only", "locked", "forgotten", "disabled"}

// hintsOf are the hints of a refusal by a rule, as they are printed: whole commands, and for an agent those that it cannot run marked as the person's.
// The command that failed is no hint for a person; an agent asks the person to run it.
func (a *app) hintsOf(hints []string, rule, origin string) []string {
	var list []string
	for _, hint := range hints {
		hint = a.withScope(hint)
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
// that runs, with that scope.
func (a *app) withScope(hint string) string {
	rest, ok := strings.CutPrefix(hint, "--scope ")
	if !ok || a.command == nil {
		return hint
	}
	if scope, id, named := strings.Cut(rest, " "); named {
		return a.command.CommandPath() + " " + id + " --scope " + scope
	}
	return a.commandWith(hint)
}

// commandWith is the command line with more at its end.
func (a *app) commandWith(more string) string {
	words := []string{"memctl"}
	for _, word := range a.line {
		words = append(words, shell.Quote(word))
	}
	return strings.TrimSpace(redact(strings.Join(words, " ")) + " " + more)
}

// flagValues are the values of a flag: of one that may be repeated several.
func flagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}
