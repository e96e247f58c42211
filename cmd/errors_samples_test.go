package cmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// sampleErrors are one error for each text and each set of hints that explain knows.
func sampleErrors() []error {
	const file = "memories.md"
	line := memfile.Problem{Line: 3, Message: "not a map"}
	return []error{
		&gitops.UnusableError{Top: "repo", What: "core.bare is set", Mend: "git config core.bare false"},
		&gitops.UnusableError{Top: "repo", What: "it belongs to another user"},
		&fault.Error{Code: fault.GitFolderNotWritable, Thing: ".git", Cause: `the git folder cannot be written (permission denied)`, Err: syscall.EROFS},
		&fault.Error{Code: fault.FolderNotWritable, Thing: "state", Cause: `the folder of local state cannot be written (permission denied)`},
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS},
		&os.LinkError{Op: "rename", Old: "y", New: "x", Err: syscall.EIO},
		&txn.DamagedError{Scope: store.Project, Name: file, Problem: line},
		&txn.DamagedError{Scope: store.User, Name: file, Problem: memfile.Problem{Line: 3, Message: "conflict markers", Rule: "conflict-markers"}},
		&fault.Error{Code: fault.Damaged, Thing: "memories.md", Cause: `line 3: not a map; it has no conflict to resolve`, Scope: store.User},
		&txn.ForeignError{Scope: store.Project, Name: file},
		&txn.ForeignError{Scope: store.Project, Name: file, Sealed: true},
		&txn.ForeignError{Scope: store.Project, Name: file, Encoding: "UTF-16", Attributes: ".gitattributes"},
		&fault.Error{Code: fault.NewerVersion, Thing: "memories.md", Cause: `has version 2, which this memctl reads and does not write`},
		patch.ErrNewer,
		&txn.MissingError{Scope: store.Project, Name: file},
		&txn.MissingError{Scope: store.Project, Name: file, Known: "it is in the index", Back: "git checkout -- memories.md"},
		&txn.SecretError{Scope: store.User, Name: file, Finding: policy.Finding{Line: 3, Kind: "token"}},
		integrity.ErrNotMerged,
		&fault.Error{Code: fault.ConflictMarkers, Thing: "memories.md", Cause: `the conflict markers are not whole`, Way: "git checkout --merge -- memories.md", Err: merge.ErrMarkers},
		merge.ErrMarkers,
		&fault.Error{Code: fault.Scope, Thing: "team", Cause: `is no scope: project, private and user are`},
		&fault.Error{Code: fault.NoFolder, Thing: "no where", Cause: `is no folder yet, so no store is there`},
		&contents.NoHistoryError{Dir: "plain"},
		&store.DeferredError{Why: "merge in progress"},
		&statedir.TooMuchError{Path: "memories", Max: 1 << 20},
		&fault.Error{Code: fault.QueueFull, Thing: "queue.json", Cause: `the queue of writes that wait is full`},
		&statedir.Error{Path: "queue.json", Err: &safefile.NotAFileError{Name: "queue.json", Mode: fs.ModeSymlink}},
		&statedir.Error{Path: "queue.json", Err: fs.ErrInvalid},
		&recovery.TooLargeError{},
		&fault.Error{Code: fault.Setting, Thing: "memctl.commit", Cause: `"maybe" (from environment variable MEMCTL_COMMIT) is not one of on, stage, off`},
		&safefile.HeldError{Path: "lock"},
		&safefile.NotAFileError{Name: file, Mode: fs.ModeSymlink},
		&safefile.TooLargeError{Name: file, Max: 1 << 20},
		&safefile.ChangedError{Name: file},
		exchange.NoRemote(store.User),
		&fault.Error{Code: fault.RemoteAddress, Thing: "ext::sh", Cause: `names a program to run, which memctl does not`},
		&fault.Error{Code: fault.NotAStore, Thing: "url", Cause: `branch main is no store of memory: it holds main.go`},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `is the remote of the user store, and the two would be one`, Way: "git config memctl.private x"},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `holds the user store, and the two would be one`},
		&exchange.BranchError{Remote: "url", Branches: []string{"b", "a"}, Dir: "dir", Branch: "main"},
		&exchange.PurgedError{Remote: "url", Branch: "main", Command: "git push", Others: true},
		&exchange.ExchangedSecretError{Scope: store.User, Path: file, Line: 3, Kind: "token", Ours: true},
		&exchange.ExchangedSecretError{Scope: store.User, Path: file, Kind: "token"},
		&exchange.ExchangedSecretError{Scope: store.User, Commit: "0123456789", Kind: "token"},
		&fault.Error{Code: fault.RemoteBusy, Thing: "url", Cause: `others pushed meanwhile, 8 times`},
		&remotes.RemoteError{Remote: "url", Why: remotes.WhyRemoteMissing},
		&exchange.SyncError{Scope: store.Private, Err: &remotes.RemoteError{Remote: "url", Why: remotes.WhyRemoteMissing}},
		&remotes.RemoteError{Remote: "url", Why: remotes.WhyRemoteRefused},
		fmt.Errorf("here: %w", gitops.ErrNotARepository),
		&gitops.BlockedError{Why: gitops.WhyNoIdentity},
		&gitops.BlockedError{Why: gitops.WhyGitMissing},
		&gitops.BlockedError{Why: gitops.WhyMissing},
		&gitops.BlockedError{Why: "merge in progress"},
		&gitops.UnknownRevisionError{Rev: "nowhere"},
		&fault.Error{Code: fault.BareRepository, Thing: "x.git", Cause: `a bare repository, without a worktree`},
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty: an interrupted write leaves a ref so`, Way: "git update-ref HEAD x"},
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty: an interrupted write leaves a ref so`},
		&gitops.Error{Args: []string{"commit"}, Status: 128},
		context.Canceled,
		context.DeadlineExceeded,
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission},
		&usageError{thing: "x", cause: "no such command", hints: []string{"memctl help"}},
		&bugError{cause: "index out of range"},
	}
}
