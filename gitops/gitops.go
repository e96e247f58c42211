// Package gitops finds a repository, reads its state and configuration, and starts git.
// The folders below do the rest: object, worktree, committer, remotes, rewrite.
//
// What is only looked at (where the repository is, what it is in the middle of, objects)
// is read from the files, without starting a process, wherever the repository is plain
// enough; else git is asked. Writes are git's own, except ordinary commits and the journal.
//
// Words: the root is the worktree's top folder; the git folder belongs to one
// worktree, the common folder to all of them. Paths are relative to the root
// and slash-separated. An id is a full hexadecimal object id, 40 digits or
// (in SHA-256 repositories) 64. Nothing here ever prompts, opens an editor or
// a pager, or reads the terminal.
package gitops

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/memctl/memctl/internal/fault"
)

// ErrNotARepository: no repository above the folder.
var ErrNotARepository = errors.New("not a git repository")

// Repo is one repository as seen from one worktree. Finding one starts no process.
// It may be used by several goroutines.
type Repo struct {
	Root      string // the worktree's top folder, absolute, symlinks resolved as git does
	GitDir    string // this worktree's own git folder
	CommonDir string // shared by all worktrees

	// pinned: the repository was named by its folder, so variables such as
	// GIT_DIR, which speak of another one, are kept from git.
	pinned    bool
	ownConfig ownConfig
	config    atomic.Pointer[Config] // what Config has read
	ownFolder atomic.Bool            // memctl's folder in the common git folder is there
	owner     sync.Once              // ours is known
	ours      bool

	// killedSince is the time, in nanoseconds, from which locks of ours may be left: a git that
	// began then was killed, or a lock made then could not be removed. 0 for none.
	killedSince atomic.Int64

	// Lender names who commits where the repository's own settings do not; nil for nobody. Git gets it once Config was read.
	Lender   func(context.Context) (name, email string)
	borrowed atomic.Pointer[[]string]

	// attached holds a value for each package that keeps something with the repository.
	attached sync.Map
}

// Pinned reports whether the repository was named by its folder, and not found from the
// variables or the folder of this process.
func (r *Repo) Pinned() bool { return r.pinned }

// Attached returns what a package keeps with the repository for as long as that lives,
// such as a reader of its objects: one value of each type, zero at first.
func Attached[T any](r *Repo) *T {
	v, _ := r.attached.LoadOrStore(reflect.TypeFor[T](), new(T))
	return v.(*T)
}

// Why a commit cannot be made now. The texts are stable: they are stored,
// printed as JSON and compared.
const (
	inProgress = " in progress" // ends the reason of an operation: see OperationWhy

	WhyMerge       = "merge" + inProgress
	WhyRebase      = "rebase" + inProgress
	WhyCherryPick  = "cherry-pick" + inProgress
	WhyRevert      = "revert" + inProgress
	WhyBisect      = "bisect" + inProgress
	WhyAm          = "am" + inProgress
	WhyCommit      = "commit" + inProgress   // an editor is open for its message
	WhyInside      = "inside a git command"  // a hook of it, its editor, what a rebase -x or a bisect runs
	WhyVariables   = "unusual git variables" // variables such as GIT_COMMON_DIR move a part of the repository
	WhyAtWork      = "git at work"           // it has held index.lock for longer than memctl waits, or a rebase or its like has just begun
	WhyNoIdentity  = "no identity"
	WhySigning     = "signing failed"
	WhyNotWritable = "git folder not writable"
	WhyOwnership   = "dubious ownership"
	WhyLocked      = "locked by another git"
	WhyUnmerged    = "file unmerged"
	WhyHidden      = "changes hidden from git" // assume-unchanged or skip-worktree on the file itself
	WhyNoSpace     = "no space left"
	WhyGitMissing  = "git missing"
	WhyTimeout     = "git took too long"
	WhyMissing     = "missing object" // a partial clone lacks it, and memctl does not fetch; or it was lost
)

// IdentityHint is the command that tells git who commits.
const IdentityHint = `git config --global user.name "Your Name" && git config --global user.email you@example.com`

// Blocked is the error of a commit, or another call of git, that is not possible now for a
// reason outside this program; nothing was changed. why is one of the Why constants, detail
// what git said, which may be a command to paste, or "".
func Blocked(why, detail string) *fault.Error {
	cause := why
	if first, _, _ := strings.Cut(detail, "\n"); detail != "" {
		cause += ": " + first
	}
	return &fault.Error{Code: fault.Blocked, Cause: cause, Why: why, Detail: detail}
}

// Error is a failed git command: its arguments and the line of its stderr that says why.
type Error struct {
	Args   []string // without the options that every call has
	Status int      // exit status, -1 where git did not end by itself
	Stderr string   // the last line that begins with fatal: or error:, else the last line
}

func (e *Error) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name = "git " + e.Args[0]
	}
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit status %d", name, e.Status)
	}
	return name + ": " + e.Stderr
}
