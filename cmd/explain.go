package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/integrity"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// refusal and broken are the two kinds of error: the first is an answer, the
// second is something to mend.
func refusal(code, message string, hints ...string) *memory.Error {
	return &memory.Error{Code: code, Status: statusRefused, Message: message, Hints: hints}
}

func broken(code, message string, hints ...string) *memory.Error {
	return &memory.Error{Code: code, Status: statusFault, Message: message, Hints: hints}
}

// explainFile knows the errors of package safefile.
func explainFile(err error) *memory.Error {
	var held *safefile.HeldError
	var kind *safefile.NotAFileError
	var large *safefile.TooLargeError
	var changed *safefile.ChangedError
	switch {
	case errors.As(err, &held):
		e := broken("lock-held", held.Error())
		e.Retry = true
		return e
	case errors.As(err, &kind):
		return broken("not-a-file", kind.Error())
	case errors.As(err, &large):
		return broken("too-large", large.Error())
	case errors.As(err, &changed):
		e := broken("changed-on-disk", changed.Error())
		e.Retry = true
		return e
	}
	return nil
}

// newerHint is the command that gets a memctl of this day.
const newerHint = "go install github.com/memctl/memctl/cmd/memctl@main"

// explainStore knows the errors of packages store, recovery and settings.
func explainStore(err error) *memory.Error {
	var damaged *txn.DamagedError
	var foreign *txn.ForeignError
	var missing *txn.MissingError
	var secret *txn.SecretError
	switch {
	case errors.As(err, &damaged) && damaged.Problem.Rule == "conflict-markers":
		return refusal("damaged", damaged.Error(), "memctl resolve --dry-run"+memory.ScopeFlag(damaged.Scope), "memctl resolve"+memory.ScopeFlag(damaged.Scope))
	case errors.As(err, &damaged):
		return refusal("damaged", damaged.Error(), validating(damaged.Scope), "memctl recover"+memory.ScopeFlag(damaged.Scope))
	case errors.As(err, &foreign) && foreign.Encoding != "":
		return refusal("not-a-memory-file", foreign.Error(), utf8Again("/memories.md", foreign), utf8Again("/memories/**", foreign))
	case errors.As(err, &foreign):
		return refusal("not-a-memory-file", foreign.Error(), "memctl recover"+memory.ScopeFlag(foreign.Scope))
	case errors.Is(err, patch.ErrNewer):
		return refusal("newer-version", err.Error(), newerHint)
	case errors.As(err, &missing):
		return refusal("no-memory-file", missing.Error(), cmp.Or(missing.Back, "memctl init"))
	case errors.As(err, &secret):
		return refusal("secret", secret.Error(), validating(secret.Scope))
	case errors.Is(err, integrity.ErrNotMerged):
		return refusal("not-merged", err.Error())
	case errors.Is(err, merge.ErrMarkers):
		return refusal("conflict-markers", err.Error(), "memctl recover")
	}
	return explainState(err)
}

// validating is the command that shows what is wrong in the memory of a scope.
func validating(scope string) string { return "memctl validate" + memory.ScopeFlag(scope) }

// utf8Again is the command that has git keep files beside the memory file as they are written.
func utf8Again(pattern string, e *txn.ForeignError) string {
	return "echo '" + pattern + " working-tree-encoding=UTF-8' >>" + shell.Quote(e.Attributes)
}

// explainState knows the errors about memctl's own files and settings.
func explainState(err error) *memory.Error {
	var history *contents.NoHistoryError
	var deferred *store.DeferredError
	var much *statedir.TooMuchError
	var state *statedir.Error
	var large *recovery.TooLargeError
	switch {
	case errors.As(err, &history):
		return refusal("not-a-repository", history.Error(), "git init")
	case errors.As(err, &deferred):
		return refusal("deferred", deferred.Error(), "git status")
	case errors.As(err, &much):
		return broken("too-large", much.Error())
	case errors.As(err, &state) && state.Link():
		return broken("local-state", state.Error(), "rm "+shell.Quote(state.Path))
	case errors.As(err, &state):
		return broken("local-state", state.Error(), "memctl doctor")
	case errors.As(err, &large):
		return refusal("too-large", large.Error())
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
		return refusal("not-a-repository", err.Error(), "git init")
	case errors.As(err, &blocked):
		e := broken("blocked", blocked.Error(), blockedHint(blocked.Why))
		e.Retry = true
		return e
	case errors.As(err, &unknown):
		return refusal("unknown-revision", unknown.Error(), "memctl log")
	case errors.As(err, &failed):
		return broken("git-failed", strings.TrimSpace(failed.Error()), "memctl doctor")
	}
	return nil
}

// blockedHint is the command that shows or mends what keeps git from
// committing.
func blockedHint(why string) string {
	switch why {
	case gitops.WhyNoIdentity:
		return memory.IdentityHint
	case gitops.WhyGitMissing:
		return "memctl doctor"
	case gitops.WhyMissing: // fetches every version of the memory in a partial clone
		return "git rev-list --objects --quiet --all -- :/memories.md :/memories"
	}
	return "git status"
}

// explainUnusable knows a repository that git cannot use, whoever met it.
func explainUnusable(err error) *memory.Error {
	var unusable *gitops.UnusableError
	switch {
	case !errors.As(err, &unusable):
		return nil
	case unusable.Mend == "":
		return broken("repository-unusable", unusable.Error(), "git status")
	}
	return broken("repository-unusable", unusable.Error(), unusable.Mend)
}

func explainContext(err error) *memory.Error {
	var e *memory.Error
	switch {
	case errors.Is(err, context.Canceled):
		e = broken("interrupted", "interrupted: nothing more was done")
	case errors.Is(err, context.DeadlineExceeded):
		e = broken("timeout", "not done in time")
	default:
		return nil
	}
	e.Retry = true
	return e
}

// explainSystem knows what the system says of a file.
func explainSystem(err error) *memory.Error {
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
