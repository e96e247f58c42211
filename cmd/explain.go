package cmd

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory/integrity"
)

// refusal and broken are the two kinds of error: the first is an answer, the
// second is something to mend.
func refusal(code, message string, hints ...string) *fault.Error {
	return &fault.Error{Code: code, Status: statusRefused, Cause: message, Hints: hints}
}

func broken(code, message string, hints ...string) *fault.Error {
	return &fault.Error{Code: code, Status: statusFault, Cause: message, Hints: hints}
}

// newerHint is the command that installs memctl and memctl-full of this day.
const newerHint = "go install github.com/memctl/memctl/cmd/...@main"

// explainNamed knows the errors that have a name and carry nothing.
func explainNamed(err error) *fault.Error {
	var failed *gitops.Error
	switch {
	case errors.Is(err, patch.ErrNewer):
		return refusal("newer-version", err.Error(), newerHint)
	case errors.Is(err, integrity.ErrNotMerged):
		return refusal("not-merged", err.Error())
	case errors.Is(err, merge.ErrMarkers):
		return refusal("conflict-markers", err.Error(), "memctl recover")
	case errors.Is(err, gitops.ErrNotARepository):
		return refusal("not-a-repository", err.Error(), "git init")
	case errors.As(err, &failed):
		return broken("git-failed", strings.TrimSpace(failed.Error()), "memctl doctor")
	}
	return nil
}

func explainContext(err error) *fault.Error {
	var e *fault.Error
	switch {
	case errors.Is(err, context.Canceled):
		e = broken("interrupted", "interrupted: nothing more was done")
	case errors.Is(err, context.DeadlineExceeded):
		e = broken("timeout", "timed out")
	default:
		return nil
	}
	e.Retry = true
	return e
}

// explainSystem knows what the system says of a file.
func explainSystem(err error) *fault.Error {
	said := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		said = named(path.Path, path.Err.Error())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusal("not-found", said)
	case path != nil, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return broken("file", said)
	}
	return nil
}

// sentence joins a place and what is said of it.
func sentence(place, said string) string {
	if place == "" {
		return said
	}
	return place + ": " + said
}
