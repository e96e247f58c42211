package store

import (
	"github.com/memctl/memctl/gitops"
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

// DeferredError is a write that cannot be made now, and that left the tree as it
// was: an automatic one that cannot be committed, or any while a git is at work.
type DeferredError struct {
	Why  string
	Lock string // the lock that is in the way, where it is old enough to be one that a git left
}

func (e *DeferredError) Error() string {
	switch {
	case e.Why == WhyAbsent:
		return "cannot be written now: " + e.Why
	case e.Why == WhyOperation:
		return "cannot be written now: " + e.Why + "; end it or give it up first, git status says how"
	case e.Lock != "":
		return "cannot be written now: " + e.Why + "; run it again when that git has ended, or, if none runs here, remove " + e.Lock
	case gitops.HandsOff(e.Why):
		return "cannot be written now: " + e.Why + "; run it again when that git has ended"
	}
	return "cannot be committed now: " + e.Why
}
