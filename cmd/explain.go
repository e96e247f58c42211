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
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// refusal and fault are the two kinds of error: the first is an answer, the
// second is something to mend.
func refusal(code, message string, hints ...string) *memory.Error {
	return &memory.Error{Code: code, Status: statusRefused, Message: message, Hints: hints}
}

func fault(code, message string, hints ...string) *memory.Error {
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
		e := fault("lock-held", held.Error())
		e.Retry = true
		return e
	case errors.As(err, &kind):
		return fault("not-a-file", kind.Error())
	case errors.As(err, &large):
		return fault("too-large", large.Error())
	case errors.As(err, &changed):
		e := fault("changed-on-disk", changed.Error())
		e.Retry = true
		return e
	}
	return nil
}

// newerHint is the command that gets a memctl of this day.
const newerHint = "go install github.com/memctl/memctl/cmd/memctl@main"

// explainStore knows the errors of packages store, recovery and settings.
func explainStore(err error) *memory.Error {
	var damaged *store.DamagedError
	var foreign *store.ForeignError
	var settled *store.NoConflictError
	var newer *store.NewerVersionError
	var missing *store.MissingError
	var secret *store.SecretError
	var markers *store.MarkersError
	switch {
	case errors.As(err, &damaged) && damaged.Problem.Rule == "conflict-markers":
		return refusal("damaged", damaged.Error(), "memctl resolve --dry-run"+memory.ScopeFlag(damaged.Scope), "memctl resolve"+memory.ScopeFlag(damaged.Scope))
	case errors.As(err, &damaged):
		return refusal("damaged", damaged.Error(), validating(damaged.Scope), "memctl recover"+memory.ScopeFlag(damaged.Scope))
	case errors.As(err, &settled):
		return refusal("damaged", settled.Error(), validating(settled.Scope), "memctl recover"+memory.ScopeFlag(settled.Scope))
	case errors.As(err, &foreign) && foreign.Encoding != "":
		return refusal("not-a-memory-file", foreign.Error(), utf8Again("/memories.md", foreign), utf8Again("/memories/**", foreign))
	case errors.As(err, &foreign):
		return refusal("not-a-memory-file", foreign.Error(), "memctl recover"+memory.ScopeFlag(foreign.Scope))
	case errors.As(err, &newer):
		return refusal("newer-version", newer.Error(), newerHint)
	case errors.Is(err, memfile.ErrNewer):
		return refusal("newer-version", err.Error(), newerHint)
	case errors.As(err, &missing):
		return refusal("no-memory-file", missing.Error(), cmp.Or(missing.Back, "memctl init"))
	case errors.As(err, &secret):
		return refusal("secret", secret.Error(), validating(secret.Scope))
	case errors.Is(err, memory.ErrNotMerged):
		return refusal("not-merged", err.Error())
	case errors.As(err, &markers) && markers.Back != "":
		return refusal("conflict-markers", markers.Error(), markers.Back, "memctl recover")
	case errors.Is(err, memfile.ErrMarkers):
		return refusal("conflict-markers", err.Error(), "memctl recover")
	}
	return explainState(err)
}

// validating is the command that shows what is wrong in the memory of a scope.
func validating(scope string) string { return "memctl validate" + memory.ScopeFlag(scope) }

// utf8Again is the command that has git keep files beside the memory file as they are written.
func utf8Again(pattern string, e *store.ForeignError) string {
	return "echo '" + pattern + " working-tree-encoding=UTF-8' >>" + shell.Quote(e.Attributes)
}

// explainState knows the errors about memctl's own files and settings.
func explainState(err error) *memory.Error {
	var scope *store.ScopeError
	var folder *store.NoFolderError
	var history *store.NoHistoryError
	var deferred *store.DeferredError
	var full *store.QueueFullError
	var much *store.TooMuchError
	var state *store.StateError
	var large *recovery.TooLargeError
	var setting *settings.ValueError
	switch {
	case errors.As(err, &scope):
		return refusal("scope", scope.Error())
	case errors.As(err, &folder):
		return refusal("not-found", folder.Error(), "mkdir -p "+shell.Quote(folder.Dir))
	case errors.As(err, &history):
		return refusal("not-a-repository", history.Error(), "git init")
	case errors.As(err, &deferred):
		return refusal("deferred", deferred.Error(), "git status")
	case errors.As(err, &much):
		return fault("too-large", much.Error())
	case errors.As(err, &full):
		return fault("queue-full", full.Error(), "memctl review")
	case errors.As(err, &state) && state.Link():
		return fault("local-state", state.Error(), "rm "+shell.Quote(state.Path))
	case errors.As(err, &state):
		return fault("local-state", state.Error(), "memctl doctor")
	case errors.As(err, &large):
		return refusal("too-large", large.Error())
	case errors.As(err, &setting):
		return fault("setting", setting.Error(), "memctl config")
	}
	return nil
}

// explainGit knows the errors of package gitops.
func explainGit(err error) *memory.Error {
	var blocked *gitops.BlockedError
	var unknown *gitops.UnknownRevisionError
	var bare *gitops.BareError
	var broken *gitops.BrokenRefError
	var failed *gitops.Error
	switch {
	case errors.Is(err, gitops.ErrNotARepository):
		return refusal("not-a-repository", err.Error(), "git init")
	case errors.As(err, &blocked):
		e := fault("blocked", blocked.Error(), blockedHint(blocked.Why))
		e.Retry = true
		return e
	case errors.As(err, &unknown):
		return refusal("unknown-revision", unknown.Error(), "memctl log")
	case errors.As(err, &bare):
		return refusal("bare-repository", bare.Error(), "git worktree add ../work")
	case errors.As(err, &broken) && broken.Mend != "":
		return fault("broken-ref", broken.Error()+": an interrupted write leaves a ref so", broken.Mend, "git fsck")
	case errors.As(err, &broken):
		return fault("broken-ref", broken.Error()+": an interrupted write leaves a ref so", "git fsck")
	case errors.As(err, &failed):
		return fault("git-failed", strings.TrimSpace(failed.Error()), "memctl doctor")
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
		return fault("repository-unusable", unusable.Error(), "git status")
	}
	return fault("repository-unusable", unusable.Error(), unusable.Mend)
}

func explainContext(err error) *memory.Error {
	var e *memory.Error
	switch {
	case errors.Is(err, context.Canceled):
		e = fault("interrupted", "interrupted: nothing more was done")
	case errors.Is(err, context.DeadlineExceeded):
		e = fault("timeout", "not done in time")
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
		return fault("file", said)
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
