// Package fault has the one error type: a code, what failed, why, and the commands that help.
// Code that has to tell errors apart asks for the code. The command line has the exit status of
// each code, and hints for the errors that bring none.
package fault

import (
	"strconv"
	"strings"
)

// The codes. They are stable: scripts read them, and the command line chooses the exit
// status and the hints by them.
const (
	BareRepository       = "bare-repository"
	Blocked              = "blocked" // git cannot commit now, or cannot run; Why has the reason
	BrokenRef            = "broken-ref"
	ChangedOnDisk        = "changed-on-disk"
	ConflictMarkers      = "conflict-markers"
	Damaged              = "damaged"
	Deferred             = "deferred" // a write that cannot be made now; Why has the reason
	FolderNotWritable    = "folder-not-writable"
	Format               = "format"
	GitFolderNotWritable = "git-folder-not-writable"
	LocalState           = "local-state"
	LockHeld             = "lock-held"
	ModelAddress         = "model-address"
	ModelAnswer          = "model-answer"
	ModelFailed          = "model-failed" // no model of the chain answered
	ModelLimit           = "model-limit"
	ModelRefused         = "model-refused"
	Moved                = "moved" // a branch has commits that memctl has not seen
	NewerVersion         = "newer-version"
	FolderNotFound       = "not-found"
	FullProgramMissing   = "no-memctl-full" // the program is missing, or of another version
	NoModel              = "no-model"
	NoPostgres           = "no-postgres" // no server is set
	NoMemoryFile         = "no-memory-file"
	NoRemote             = "no-remote"
	NotAFile             = "not-a-file" // Why has the kind
	NotAMemoryFile       = "not-a-memory-file"
	NotARepository       = "not-a-repository"
	NotAStore            = "not-a-memory-store"
	NotLoopback          = "not-loopback"
	Postgres             = "postgres" // Why has the reason
	QueueFull            = "queue-full"
	Remote               = "remote" // Why has the reason
	RemoteAddress        = "remote-address"
	RemoteBranches       = "remote-branches"
	RemoteBusy           = "remote-busy"
	RemoteOfAnother      = "remote-of-another"
	RemoteUnpurged       = "remote-unpurged"
	Scope                = "scope"
	Secret               = "secret"
	Setting              = "setting"
	TooLarge             = "too-large"
	UnknownRevision      = "unknown-revision"
	RepositoryUnusable   = "repository-unusable"
)

// The codes of errors that only wrap another: the command line explains the error inside.
const (
	TryAgain  = "again"      // another program changed a file, so the act starts again
	NoHistory = "no-history" // history was asked of a store without a repository
	Sync      = "sync"       // Scope is the store that was synchronised
)

// Error is a failure with a code.
type Error struct {
	Code  string
	Thing string // what it is about, printed in quotes; "" where Cause names it
	Cause string // "" where Err says it all
	Err   error  // what it wraps, if anything

	Why            string   // which of the code's reasons it is; a stable text
	Detail         string   // all that another program said
	Scope          string   // of the store that it is about
	RestoreCommand string   // the command that restores the missing file; "" for none
	Hints          []string // commands to paste; the command line fills them in by the code where there is neither this nor RestoreCommand

	// The command line fills in these by the code. The answer of an act has a status from the beginning.
	Status int  // the exit status; 0 until it is known
	Retry  bool // the same call may work later
}

// New returns an *Error that needs no more than these.
func New(code, thing, cause string) *Error { return &Error{Code: code, Thing: thing, Cause: cause} }

func (e *Error) Error() string {
	switch {
	case e.Cause == "" && e.Err != nil:
		return e.Err.Error()
	case e.Thing == "":
		return e.Cause
	}
	return WithThing(strconv.Quote(e.Thing), e.Cause)
}

// WithThing puts a quoted name before a text, with a colon between them unless the text begins with a verb.
func WithThing(quoted, text string) string {
	switch verb, _, _ := strings.Cut(text, " "); verb {
	case "is", "are", "has", "does", "did", "was", "can", "cannot", "needs":
		return quoted + " " + text
	}
	return quoted + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

// FindFunc returns the first *Error in err, from the outside in, that is accepts; nil if there
// is none.
func FindFunc(err error, is func(*Error) bool) *Error {
	if e, ok := err.(*Error); ok && is(e) {
		return e
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return FindFunc(err.Unwrap(), is)
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			if e := FindFunc(inner, is); e != nil {
				return e
			}
		}
	}
	return nil
}

// Find returns the first *Error in err with the code; nil if there is none.
func Find(err error, code string) *Error {
	return FindFunc(err, func(e *Error) bool { return e.Code == code })
}

// FindAnswer returns the first *Error in err that is the answer of an act; nil if there is none.
func FindAnswer(err error) *Error {
	return FindFunc(err, func(e *Error) bool { return e.Status != 0 })
}

// Is reports whether err is, or wraps, an *Error with the code.
func Is(err error, code string) bool { return Find(err, code) != nil }

// Why returns the reason of the first *Error in err with the code; "" if there is none.
func Why(err error, code string) string {
	if e := Find(err, code); e != nil {
		return e.Why
	}
	return ""
}
