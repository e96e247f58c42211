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
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/statedir"
	"github.com/memctl/memctl/store/txn"
)

// sampleErrors are one error for each text and each set of hints that explain knows.
func sampleErrors() []error {
	const file = "memories.md"
	return []error{
		&fault.Error{Code: fault.Unusable, Thing: "repo", Cause: "git cannot use the repository: core.bare is set", Way: "git config core.bare false"},
		&fault.Error{Code: fault.Unusable, Thing: "repo", Cause: "git cannot use the repository: it belongs to another user"},
		&fault.Error{Code: fault.GitFolderNotWritable, Thing: ".git", Cause: `the git folder cannot be written (permission denied)`, Err: syscall.EROFS},
		&fault.Error{Code: fault.FolderNotWritable, Thing: "state", Cause: `the folder of local state cannot be written (permission denied)`},
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS},
		&os.LinkError{Op: "rename", Old: "y", New: "x", Err: syscall.EIO},
		&fault.Error{Code: fault.Damaged, Thing: file, Scope: store.Project, Cause: "line 3: not a map; the edit is not committed, so it is left alone"},
		&fault.Error{Code: fault.Damaged, Thing: file, Scope: store.User, Cause: "line 3: conflict markers; the edit is not committed, so it is left alone", Why: "conflict-markers"},
		&fault.Error{Code: fault.Damaged, Thing: "memories.md", Cause: `line 3: not a map; it has no conflict to resolve`, Scope: store.User},
		txn.Foreign(store.Project, file, false),
		txn.Foreign(store.Project, file, true),
		&fault.Error{Code: fault.NotAMemoryFile, Thing: file, Cause: "is not a memory file: its git attribute working-tree-encoding is UTF-16, and memory is UTF-8", Path: ".gitattributes"},
		&fault.Error{Code: fault.NewerVersion, Thing: "memories.md", Cause: `has version 2, which this memctl reads and does not write`},
		patch.ErrNewer,
		&fault.Error{Code: fault.NoMemoryFile, Thing: file, Cause: "there is no memory file in scope project"},
		&fault.Error{Code: fault.NoMemoryFile, Thing: file, Cause: "there is no memory file on disk: it is in the index", Way: "git checkout -- memories.md"},
		txn.Secret(store.User, file, policy.Finding{Line: 3, Kind: "token"}),
		integrity.ErrNotMerged,
		&fault.Error{Code: fault.ConflictMarkers, Thing: "memories.md", Cause: `the conflict markers are not whole`, Way: "git checkout --merge -- memories.md", Err: merge.ErrMarkers},
		merge.ErrMarkers,
		&fault.Error{Code: fault.Scope, Thing: "team", Cause: `is no scope: project, private and user are`},
		&fault.Error{Code: fault.NoFolder, Thing: "no where", Cause: `is no folder yet, so no store is there`},
		&fault.Error{Code: fault.NoHistory, Err: fault.New(fault.NotARepository, "plain", "is not a git repository")},
		store.Deferred("merge in progress", ""),
		statedir.TooMuch("memories", 1<<20),
		&fault.Error{Code: fault.QueueFull, Thing: "queue.json", Cause: `the queue of writes that wait is full`},
		statedir.Damaged("queue.json", safefile.NotAFile("queue.json", fs.ModeSymlink)),
		statedir.Damaged("queue.json", fs.ErrInvalid),
		&fault.Error{Code: fault.TooLarge, Thing: file, Status: 1, Cause: "recovered, it would have 0 bytes; a memory file has at most 0"},
		&fault.Error{Code: fault.Setting, Thing: "memctl.commit", Cause: `"maybe" (from environment variable MEMCTL_COMMIT) is not one of on, stage, off`},
		safefile.Held("lock", 0, "", nil),
		safefile.NotAFile(file, fs.ModeSymlink),
		safefile.TooLarge(file, 0, 1<<20),
		safefile.Changed(file),
		exchange.NoRemote(store.User),
		&fault.Error{Code: fault.RemoteAddress, Thing: "ext::sh", Cause: `names a program to run, which memctl does not`},
		&fault.Error{Code: fault.NotAStore, Thing: "url", Cause: `branch main is no store of memory: it holds main.go`},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `is the remote of the user store, and the two would be one`, Way: "git config memctl.private x"},
		&fault.Error{Code: fault.RemoteOfAnother, Thing: "url", Cause: `holds the user store, and the two would be one`},
		&fault.Error{Code: fault.RemoteBranches, Thing: "url", Cause: "has several branches, and none is called as the one here", Names: []string{"a", "b"}, Path: "dir", Why: "main"},
		&fault.Error{Code: fault.RemoteUnpurged, Thing: "url", Way: "git push", Cause: "branch main still has the history that a purge replaced here, so nothing is taken and nothing is sent; it was sent to since, and pushing over it drops that too"},
		&fault.Error{Code: fault.Secret, Scope: store.User, Cause: `"memories.md" of scope user: line 3: holds a secret (token), so nothing is sent`},
		&fault.Error{Code: fault.Secret, Scope: store.User, Why: exchange.SecretAtRemote, Cause: `"memories.md" of scope user of what the remote has: its path holds a secret (token), so nothing is taken`},
		&fault.Error{Code: fault.Secret, Scope: store.User, Why: exchange.SecretInMessage, Cause: "commit 0123456 of scope user of what the remote has: its message holds a secret (token), so nothing is taken"},
		&fault.Error{Code: fault.RemoteBusy, Thing: "url", Cause: `others pushed meanwhile, 8 times`},
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
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty: an interrupted write leaves a ref so`, Way: "git update-ref HEAD x"},
		&fault.Error{Code: fault.BrokenRef, Thing: "HEAD", Cause: `is empty: an interrupted write leaves a ref so`},
		&gitops.Error{Args: []string{"commit"}, Status: 128},
		context.Canceled,
		context.DeadlineExceeded,
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission},
		usage("x", "no such command", "memctl help"),
		errors.New("index out of range"),
	}
}
