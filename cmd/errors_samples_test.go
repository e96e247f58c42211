package cmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// sampleErrors are one error for each text and each set of hints that explain knows.
func sampleErrors() []error {
	const file = "memories.md"
	line := memfile.Problem{Line: 3, Message: "not a map"}
	return []error{
		&gitops.UnusableError{Top: "repo", What: "core.bare is set", Mend: "git config core.bare false"},
		&gitops.UnusableError{Top: "repo", What: "it belongs to another user"},
		&store.UnwritableError{Path: ".git", Git: true, Err: fs.ErrPermission},
		&store.UnwritableError{Path: "state", Err: syscall.EACCES},
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS},
		&os.LinkError{Op: "rename", Old: "y", New: "x", Err: syscall.EIO},
		&store.DamagedError{Scope: store.Project, Name: file, Problem: line},
		&store.DamagedError{Scope: store.User, Name: file, Problem: memfile.Problem{Line: 3, Message: "conflict markers", Rule: "conflict-markers"}},
		&store.NoConflictError{Scope: store.User, Name: file, Problem: line},
		&store.ForeignError{Scope: store.Project, Name: file},
		&store.ForeignError{Scope: store.Project, Name: file, Sealed: true},
		&store.ForeignError{Scope: store.Project, Name: file, Encoding: "UTF-16", Attributes: ".gitattributes"},
		&store.NewerVersionError{Name: file, Version: 2},
		memfile.ErrNewer,
		&store.MissingError{Scope: store.Project, Name: file},
		&store.MissingError{Scope: store.Project, Name: file, Known: "it is in the index", Back: "git checkout -- memories.md"},
		&store.SecretError{Scope: store.User, Name: file, Finding: policy.Finding{Line: 3, Kind: "token"}},
		memory.ErrNotMerged,
		&store.MarkersError{Name: file, Back: "git checkout --merge -- memories.md"},
		memfile.ErrMarkers,
		&store.ScopeError{Scope: "team", Why: "is no scope: project, private and user are"},
		&store.NoFolderError{Dir: "no where"},
		&store.NoHistoryError{Dir: "plain"},
		&store.DeferredError{Why: "merge in progress"},
		&store.TooMuchError{Path: "memories", Max: 1 << 20},
		&store.QueueFullError{Path: "queue.json"},
		&store.StateError{Path: "queue.json", Err: &safefile.NotAFileError{Name: "queue.json", Mode: fs.ModeSymlink}},
		&store.StateError{Path: "queue.json", Err: fs.ErrInvalid},
		&recovery.TooLargeError{},
		&settings.ValueError{Name: "memctl.commit", Text: "maybe"},
		&safefile.HeldError{Path: "lock"},
		&safefile.NotAFileError{Name: file, Mode: fs.ModeSymlink},
		&safefile.TooLargeError{Name: file, Max: 1 << 20},
		&safefile.ChangedError{Name: file},
		&store.NoRemoteError{Scope: store.User},
		&store.AddressError{Address: "ext::sh", Why: "names a program to run, which memctl does not"},
		&store.StrangerError{Remote: "url", Branch: "main", File: "main.go"},
		&store.ClaimedError{Remote: "url", Holder: "the user store", Share: "git config memctl.private x"},
		&store.ClaimedError{Remote: "url", Holder: "the user store", Holds: true},
		&store.BranchError{Remote: "url", Branches: []string{"b", "a"}, Dir: "dir", Branch: "main"},
		&store.PurgedError{Remote: "url", Branch: "main", Command: "git push", Others: true},
		&store.ExchangedSecretError{Scope: store.User, Path: file, Line: 3, Kind: "token", Ours: true},
		&store.ExchangedSecretError{Scope: store.User, Path: file, Kind: "token"},
		&store.ExchangedSecretError{Scope: store.User, Commit: "0123456789", Kind: "token"},
		&store.BusyError{Remote: "url"},
		&gitops.RemoteError{Remote: "url", Why: gitops.WhyRemoteMissing},
		&store.SyncError{Scope: store.Private, Err: &gitops.RemoteError{Remote: "url", Why: gitops.WhyRemoteMissing}},
		&gitops.RemoteError{Remote: "url", Why: gitops.WhyRemoteRefused},
		fmt.Errorf("here: %w", gitops.ErrNotARepository),
		&gitops.BlockedError{Why: gitops.WhyNoIdentity},
		&gitops.BlockedError{Why: gitops.WhyGitMissing},
		&gitops.BlockedError{Why: gitops.WhyMissing},
		&gitops.BlockedError{Why: "merge in progress"},
		&gitops.UnknownRevisionError{Rev: "nowhere"},
		&gitops.BareError{GitDir: "x.git"},
		&gitops.BrokenRefError{File: "HEAD", What: "is empty", Mend: "git update-ref HEAD x"},
		&gitops.BrokenRefError{File: "HEAD", What: "is empty"},
		&gitops.Error{Args: []string{"commit"}, Status: 128},
		context.Canceled,
		context.DeadlineExceeded,
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission},
		&usageError{thing: "x", cause: "no such command", hints: []string{"memctl help"}},
		&bugError{cause: "index out of range"},
	}
}
