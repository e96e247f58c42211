package store

import (
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
)

const (
	// WhyAbsent is why an automatic write waits where git has the memory file, and the
	// worktree has not.
	WhyAbsent = "the memory file is not on disk"
	// WhyOperation is why no write is made while a merge, or the like, is about the file.
	WhyOperation = "the operation in progress changes the file"
	// WhyDetached is a store of our own whose HEAD is on no branch.
	WhyDetached = "no branch checked out"
)

// Deferred is the error of a write that cannot be made now, and that left the tree as it
// was: an automatic one that cannot be committed, or any while a git is at work. lock is
// the lock that is in the way, where it is old enough to be one that a git left; else "".
func Deferred(why, lock string) *fault.Error {
	cause := "cannot be written now: " + why
	switch {
	case why == WhyAbsent:
	case why == WhyOperation:
		cause += "; finish or abort it first (git status says how)"
	case lock != "":
		cause += "; run the command again when that git command has ended; if no git is running, remove " + lock
	case gitops.HandsOff(why):
		cause += "; run the command again when that git command has ended"
	default:
		cause = "cannot be committed now: " + why
	}
	return &fault.Error{Code: fault.Deferred, Cause: cause, Why: why}
}
