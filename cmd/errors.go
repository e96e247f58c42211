package cmd

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

const bugAddress = "https://github.com/memctl/memctl/issues"

// usage returns the error of a command line that cannot run: the wrong part as typed (""
// for none), the cause, and commands to paste.
func usage(thing, cause string, hints ...string) error {
	return broken(codeUsage, named(thing, cause), hints...)
}

const codeUsage = "usage"

// report prints the error, if any, and returns the exit status. It is the one
// place where an error becomes text.
func (a *app) report(err error) int {
	var silent statusError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &silent):
		return int(silent)
	}
	e := *explain(err)
	e.Thing, e.Cause = "", redact(e.Error()) // what it repeats of the command line, or of a file, may be a secret
	e.Hints = a.hintsOf(e.Hints, e.Code, a.onBehalf())
	for i, hint := range e.Hints {
		e.Hints[i] = pasted(redact(hint))
	}
	switch {
	case !a.global.json:
		a.notes(a.pendingNotes)
		a.complain(&e)
	case e.Status == statusRefused && a.act != "":
		_ = writeJSON(a.streams.Out, memory.JSON, a.failed(&e))
	default:
		_ = writeJSON(a.streams.Err, memory.JSON, map[string]any{"error": errorBody{e.Code, e.Error(), e.Retry, append([]string{}, e.Hints...)}})
	}
	return e.Status
}

// onBehalf is the origin of what runs, as far as it is known.
func (a *app) onBehalf() string {
	o, _ := a.options()
	return cmp.Or(o.Origin.Kind, memory.Explicit)
}

func redact(text string) string { return string(policy.Redact([]byte(text))) }

// complain prints an error for a person.
func (a *app) complain(e *fault.Error) {
	a.errorLine(e.Error())
	a.hints(e.Hints)
}

// errorLine prints one line that begins as every error does.
func (a *app) errorLine(message string) {
	mark := term.Bad.Paint(a.streams.ErrColour, "memctl: error:")
	_, _ = a.streams.Err.Write([]byte(mark + " " + inert(redact(message)) + "\n"))
}

// errorBody is the error that stands on stderr with --json.
type errorBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Retry   bool     `json:"retry"`
	Hints   []string `json:"hints"`
}

// The exit statuses.
const (
	statusDone    = 0
	statusRefused = 1
	statusFault   = 2
)

// Status is one exit status and what it means.
type Status struct {
	Number  int
	Meaning string
}

// Statuses is the one table of exit statuses, for help, the manual and the
// README.
func Statuses() []Status {
	return []Status{
		{statusDone, "success; also when a write waits for review, or only warnings were found"},
		{statusRefused, "refused, ambiguous or not found; or validate found errors"},
		{statusFault, "wrong use, a failure, or a lock that another process held too long"},
	}
}

// statusError ends a command that has already said what there was to say.
type statusError int

func (statusError) Error() string { return "already reported" }

// askPerson stands before the commands that only a person may run, where an agent reads
// them.
const askPerson = "ask the person to run: "

// rulesForPerson are the rules of refusals that a person's own command would not meet.
var rulesForPerson = []string{"explicit-only", "locked", "forgotten", "disabled"}

// hintsOf returns the hints of a refusal as whole commands. It leaves out the command that a person has just run. If the
// rule does not bind a person, it tells an agent to ask the person to run them.
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

// withScope completes a hint that is only a scope, or a scope and an id, to this
// command with that scope.
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
