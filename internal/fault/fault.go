// Package fault has the error that says what failed to a person. No code below the command
// line decides on its parts, other than on its code.
package fault

import (
	"errors"
	"strconv"
)

// The codes. They are stable: scripts read them, and the command line chooses the exit
// status and the hints by them.
const (
	BareRepository       = "bare-repository"
	BrokenRef            = "broken-ref"
	ConflictMarkers      = "conflict-markers"
	Damaged              = "damaged"
	FolderNotWritable    = "folder-not-writable"
	GitFolderNotWritable = "git-folder-not-writable"
	ModelAddress         = "model-address"
	ModelAnswer          = "model-answer"
	ModelFolder          = "model-folder"
	NewerVersion         = "newer-version"
	NoFolder             = "not-found"
	NoRemote             = "no-remote"
	NotAStore            = "not-a-memory-store"
	QueueFull            = "queue-full"
	RemoteAddress        = "remote-address"
	RemoteBusy           = "remote-busy"
	RemoteOfAnother      = "remote-of-another"
	Scope                = "scope"
	Setting              = "setting"
)

// Error is a failure with a code.
type Error struct {
	Code  string
	Thing string // what it is about, printed in quotes
	Cause string
	Scope string // of the store that it is about, where the hints name one
	Way   string // a command out of it that depends on what was found; "" for none
	Err   error  // what it wraps, if anything
}

// New returns an *Error that needs no more than these.
func New(code, thing, cause string) error { return &Error{Code: code, Thing: thing, Cause: cause} }

func (e *Error) Error() string { return strconv.Quote(e.Thing) + ": " + e.Cause }

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether the error is, or wraps, an *Error with the code.
func Is(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
