package cmd

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
)

const bugAddress = "https://github.com/memctl/memctl/issues"

// usageError is a command line that cannot be run as it stands.
type usageError struct {
	thing string // what is wrong, as typed; "" where nothing was
	cause string
	hints []string // commands to paste
}

func (e *usageError) Error() string {
	if e.thing == "" {
		return e.cause
	}
	return `"` + e.thing + `": ` + e.cause
}

// bugError is a panic that reached the edge.
type bugError struct{ cause string }

func (e *bugError) Error() string { return e.cause }

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
	e := explain(err)
	switch {
	case !a.global.json:
		a.complain(e)
	case e.Status == statusRefused && a.act != "":
		_ = writeJSON(a.streams.Out, a.failed(e))
	default:
		_ = writeJSON(a.streams.Err, errorObject(e))
	}
	return e.Status
}

// complain prints an error for a person.
func (a *app) complain(e *memory.Error) {
	a.errorLine(e.Message)
	for _, hint := range e.Hints {
		a.hint(hint)
	}
}

// errorLine prints one line that begins as every error does.
func (a *app) errorLine(message string) {
	mark := term.Bad.Paint(a.streams.ErrColour, "memctl: error:")
	_, _ = a.streams.Err.Write([]byte(mark + " " + inert(message) + "\n"))
}

// errorJSON is the object that stands on stderr with --json.
type errorJSON struct {
	Schema int       `json:"schema"`
	Error  errorBody `json:"error"`
}

type errorBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Retry   bool     `json:"retry"`
	Hints   []string `json:"hints"`
}

func errorObject(e *memory.Error) errorJSON {
	hints := e.Hints
	if hints == nil {
		hints = []string{}
	}
	return errorJSON{memory.SchemaNumber, errorBody{e.Code, e.Message, e.Retry, hints}}
}

// explain turns any error into one with a code, a status and hints. What is
// not known here is a bug, and says so.
func explain(err error) *memory.Error {
	var known *memory.Error
	if errors.As(err, &known) {
		return known
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return &memory.Error{Code: "usage", Status: statusFault, Message: usage.Error(), Hints: usage.hints}
	}
	for _, of := range []func(error) *memory.Error{explainContext, explainGit, explainFile} {
		if e := of(err); e != nil {
			return e
		}
	}
	return &memory.Error{
		Code:    "internal",
		Status:  statusFault,
		Message: err.Error() + "; this is a bug in memctl, please report it at " + bugAddress,
		Hints:   []string{"memctl version"},
	}
}

func explainContext(err error) *memory.Error {
	switch {
	case errors.Is(err, context.Canceled):
		return &memory.Error{Code: "interrupted", Status: statusFault, Message: "interrupted: nothing more was done", Retry: true}
	case errors.Is(err, context.DeadlineExceeded):
		return &memory.Error{Code: "timeout", Status: statusFault, Message: "not done in time", Retry: true}
	}
	return nil
}

// explainGit knows the errors of package gitops.
func explainGit(err error) *memory.Error {
	var blocked *gitops.BlockedError
	var unknown *gitops.UnknownRevisionError
	var failed *gitops.Error
	switch {
	case errors.Is(err, gitops.ErrNotARepository):
		return &memory.Error{Code: "not-a-repository", Status: statusRefused, Message: err.Error(), Hints: []string{"git init"}}
	case errors.As(err, &blocked):
		return &memory.Error{Code: "blocked", Status: statusFault, Message: sentence(blocked.Why, blocked.Detail), Hints: []string{"git status"}, Retry: true}
	case errors.As(err, &unknown):
		return &memory.Error{Code: "unknown-revision", Status: statusRefused, Message: `"` + unknown.Rev + `": no such revision`, Hints: []string{"memctl log"}}
	case errors.As(err, &failed):
		return &memory.Error{Code: "git-failed", Status: statusFault, Message: sentence("git "+strings.Join(failed.Args, " "), failed.Stderr), Hints: []string{"memctl doctor"}}
	}
	return nil
}

// explainFile knows the errors of package safefile and of the system.
func explainFile(err error) *memory.Error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return &memory.Error{Code: "file", Status: statusFault, Message: `"` + path.Path + `": ` + path.Err.Error()}
	}
	return nil
}

// sentence joins a thing and what is known about it.
func sentence(thing, detail string) string {
	if detail == "" {
		return thing
	}
	return thing + ": " + strings.TrimSpace(detail)
}
