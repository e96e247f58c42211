package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/exchange"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/policy"
)

// sampleErrors are one error for each text and each set of hints that explain knows.
func sampleErrors() []error {
	const file = "memories.md"
	return []error{
		&fault.Error{Code: fault.RepositoryUnusable, Thing: "repo", Cause: "git cannot use the repository: core.bare is set", RestoreCommand: "git config core.bare false"},
		&fault.Error{Code: fault.RepositoryUnusable, Thing: "repo", Cause: "git cannot use the repository: it belongs to another user"},
		&fault.Error{Code: fault.GitFolderNotWritable, Thing: ".git", Cause: `the git folder cannot be written (permission denied)`, Err: syscall.EROFS},
		&fault.Error{Code: fault.FolderNotWritable, Thing: "state", Cause: `the folder of local state cannot be written (permission denied)`},
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS},
		&os.LinkError{Op: "rename", Old: "y", New: "x", Err: syscall.EIO},
		&fault.Error{Code: fault.Damaged, Thing: file, Scope: store.Project, Cause: "line 3: not a map; memctl leaves the file unchanged, because your edit is not committed"},
		&fault.Error{Code: fault.Damaged, Thing: file, Scope: store.User, Cause: "line 3: conflict markers; memctl leaves the file unchanged, because your edit is not committed", Why: "conflict-markers"},
		&fault.Error{Code: fault.Damaged, Thing: "memories.md", Cause: `line 3: not a map; it has no conflict to resolve`, Scope: store.User},
		txn.Foreign(store.Project, file, false),
		txn.Foreign(store.Project, file, true),
		&fault.Error{Code: fault.NotAMemoryFile, Thing: file, Cause: "is not a memory file: its git attribute working-tree-encoding is UTF-16, but memory files are UTF-8", Hints: []string{"echo >>.gitattributes"}},
		&fault.Error{Code: fault.NewerVersion, Thing: "memories.md", Cause: `has version 2, which this memctl can read but not write`},
		patch.ErrNewer,
		&fault.Error{Code: fault.NoMemoryFile, Thing: file, Cause: "there is no memory file in scope project"},
		&fault.Error{Code: fault.NoMemoryFile, Thing: file, Cause: "there is no memory file on disk: it is in the index", RestoreCommand: "git checkout -- memories.md"},
		txn.Secret(store.User, file, policy.Finding{Line: 3, Kind: "token"}),
		errNotMerged,
		&fault.Error{Code: fault.ConflictMarkers, Thing: "memories.md", Cause: `the conflict markers are incomplete`, Hints: []string{"git checkout --merge -- memories.md", "memctl recover"}, Err: merge.ErrMarkers},
		merge.ErrMarkers,
		&fault.Error{Code: fault.Scope, Thing: "team", Cause: `unknown scope (use project, private or user)`},
		&fault.Error{Code: fault.FolderNotFound, Thing: "no where", Cause: `the folder does not exist, so it has no store`},
		&fault.Error{Code: fault.NoHistory, Err: fault.New(fault.NotARepository, "plain", "is not a git repository")},
		store.Deferred("merge in progress", ""),
		statedir.TooMuch("memories", 1<<20),
		&fault.Error{Code: fault.QueueFull, Thing: "queue.json", Cause: `the queue of pending writes is full`},
		statedir.Damaged("queue.json", safefile.NotAFile("queue.json", fs.ModeSymlink)),
		statedir.Damaged("queue.json", fs.ErrInvalid),
		&fault.Error{Code: fault.TooLarge, Thing: file, Status: 1, Cause: "the recovered file would have 0 bytes, more than the limit of 0"},
		&fault.Error{Code: fault.Setting, Thing: "memctl.commit", Cause: `"maybe" (from environment variable MEMCTL_COMMIT) is not one of on, stage, off`},
		safefile.Held("lock", 0, "", nil),
		safefile.NotAFile(file, fs.ModeSymlink),
		safefile.TooLarge(file, 0, 1<<20),
		safefile.Changed(file),
		exchange.NoRemote(store.User),
		&fault.Error{Code: fault.RemoteAddress, Thing: "ext::sh", Cause: `is a command to run; memctl accepts only addresses`},
		&fault.Error{Code: fault.NotAStore, Thing: "url", Cause: `branch main is not a memory store: it contains main.go`},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `is the remote of the user store; a sync would merge the two stores`, Hints: []string{"git config memctl.private x"}},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `contains the user store; a sync would merge the two stores`},
		&fault.Error{Code: fault.RemoteBranches, Thing: "url", Cause: "has several branches, but none with the name of the local branch", Hints: []string{"git -C dir config branch.main.merge refs/heads/a"}},
		&fault.Error{Code: fault.RemoteUnpurged, Thing: "url", RestoreCommand: "git push", Cause: "branch main still has the history that a purge replaced here, so memctl neither merges nor pushes; it also has newer commits, which a forced push would remove"},
		&fault.Error{Code: fault.Secret, Scope: store.User, Cause: `"memories.md" of scope user: line 3: contains a secret (token), so nothing is pushed`},
		&fault.Error{Code: fault.Secret, Scope: store.User, Why: exchange.SecretAtRemote, Cause: `"memories.md" of scope user at the remote: its path contains a secret (token), so nothing is merged`},
		&fault.Error{Code: fault.Secret, Scope: store.User, Why: exchange.SecretInMessage, Cause: "commit 0123456 of scope user at the remote: its message contains a secret (token), so nothing is merged"},
		&fault.Error{Code: fault.RemoteBusy, Thing: "url", Cause: `another machine pushed first, 8 times`},
		&fault.Error{Code: fault.Remote, Thing: "url", Cause: remotes.WhyRemoteMissing, Why: remotes.WhyRemoteMissing},
		&fault.Error{Code: fault.Sync, Scope: store.Private, Err: &fault.Error{Code: fault.Remote, Thing: "url", Cause: remotes.WhyRemoteMissing, Why: remotes.WhyRemoteMissing}},
		&fault.Error{Code: fault.Remote, Thing: "url", Cause: remotes.WhyRemoteRefused, Why: remotes.WhyRemoteRefused},
		&fault.Error{Code: fault.Remote, Thing: "url", Cause: remotes.WhyUnreachable, Why: remotes.WhyUnreachable},
		fmt.Errorf("here: %w", gitops.ErrNotARepository),
		gitops.Blocked(gitops.WhyNoIdentity, ""),
		gitops.Blocked(gitops.WhyGitMissing, ""),
		gitops.Blocked(gitops.WhyMissing, ""),
		gitops.Blocked("merge in progress", ""),
		fault.New(fault.UnknownRevision, "nowhere", "unknown revision"),
		&fault.Error{Code: fault.BareRepository, Thing: "x.git", Cause: `a bare repository, without a worktree`},
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty; an interrupted write can leave a ref like this`, Hints: []string{"tail -n 3 x", "git fsck"}},
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty; an interrupted write can leave a ref like this`},
		&gitops.Error{Args: []string{"commit"}, Status: 128},
		context.Canceled,
		context.DeadlineExceeded,
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission},
		usage("x", "no such command", "memctl help"),
		errors.New("index out of range"),
	}
}
