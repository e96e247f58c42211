// Package committer makes commits. It builds an ordinary commit itself, without starting
// git: built.go stores the objects, publish.go moves the branch and updates the index.
// Every other commit is made by git, which alone knows its filters and hooks
// (throughgit.go). The journal is a second line of commits, on a ref of memctl's own.
package committer

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/safefile"
)

// Request is one commit of exact files.
type Request struct {
	Paths []string // relative to Root, slash-separated; files, never folders
	// Bytes is what the files hold, by path; nil for one that is not there. A file that is
	// otherwise on disk is not committed (fault.ChangedOnDisk). Paths that are not in it
	// are committed as they stand.
	Bytes map[string][]byte
	// Written is what the system said of a file when the caller had written its Bytes; nil if it has not. A file that is
	// still that one is not read again.
	Written  map[string]fs.FileInfo
	Subject  string
	Body     string
	Trailers []object.Trailer
	// Settings is what git's settings say of commits, with which memctl makes an ordinary
	// commit by itself. nil: git makes every one.
	Settings *Settings
}

// Commit commits the files as they stand in the worktree, and nothing else;
// with git itself. A deleted file is committed as deleted; a path that neither
// git nor the disk knows is passed over. Nothing to commit: ("", nil); a file that HEAD
// has so, and the index has not, stands there again. What the
// person staged in other files, and the marks of their index, stay. An ignored
// file is committed all the same. Where another git took the files into a commit
// of its own there is nothing left to commit.
//
// Never prompts. The caller holds its own lock; another git's locks are waited
// for, a few seconds.
//
// Errors: fault.Blocked (with a stable Why) where it cannot be committed now;
// *Error else. Nothing was changed then, with one exception: a hash together
// with an error means that the commit was made and git could not write the
// index after it.
func Commit(ctx context.Context, r *gitops.Repo, req Request) (hash string, err error) {
	message, err := object.Message(req.Subject, req.Body, req.Trailers)
	if err != nil {
		return "", err
	}
	if _, err := r.State(); err != nil {
		return "", err
	}
	if why := r.Waits(ctx, gitops.LockPatience); why != "" {
		return "", gitops.Blocked(why, "")
	}
	if hash, err = commitPlain(ctx, r, req, message); !errors.Is(err, errGits) {
		return hash, err
	}
	paths, fresh, err := worktree.SortPaths(ctx, r, req.Paths)
	if err == nil {
		err = worktree.AsGiven(r, req.Bytes)
	}
	if err != nil || len(paths) == 0 {
		return "", err
	}
	if len(fresh) > 0 {
		hash, err = commitAdded(ctx, r, message, paths, fresh)
	} else {
		hash, err = commitOnly(ctx, r, message, paths)
	}
	if hash != "" && err == nil {
		err = committedAsGiven(ctx, r, hash, req.Bytes)
	}
	return hash, err
}

// committedAsGiven is a fault.ChangedOnDisk if a file is not in the commit as given:
// another program has written it in the moment before git read it. Files that git converts
// are not looked at.
func committedAsGiven(ctx context.Context, r *gitops.Repo, commit string, files map[string][]byte) error {
	blobs, _, err := object.BlobsAt(ctx, r, commit, slices.Collect(maps.Keys(files)))
	if err != nil {
		return nil // the commit is made, and nobody else's
	}
	for name, data := range files {
		is := blobs[name]
		if data == nil && is == "" || worktree.Converts(ctx, r, name) || bytes.IndexByte(data, '\r') >= 0 {
			continue
		}
		if data == nil || is == "" || is != object.BlobID(len(is), data) {
			return safefile.Changed(name)
		}
	}
	return nil
}

// commitAdded commits new files: git has to know them first.
func commitAdded(ctx context.Context, r *gitops.Repo, message string, paths, fresh []string) (hash string, err error) {
	before, err := r.State()
	if err != nil {
		return "", err
	}
	for range maxDropped {
		if err := worktree.AddFiles(ctx, r, fresh); err != nil {
			return "", err
		}
		if hash, err = commitOnly(ctx, r, message, paths); !errors.Is(err, errDropped) {
			break
		}
	}
	if hash == "" && err != nil {
		err = errors.Join(err, worktree.UnaddSince(ctx, r, before, fresh))
	}
	return hash, err // without a commit and an error HEAD has the files as they stand
}

// errDropped: a new file is not in the index any more. Git reads the index
// before it locks it, so another git's commit can write one without the file.
var errDropped = errors.New("another git dropped a staged file")

// maxDropped is how often such a file is staged again.
const maxDropped = 5

// commitOnly runs git commit. Identity, signing, attributes and filters are git's.
func commitOnly(ctx context.Context, r *gitops.Repo, message string, paths []string) (string, error) {
	c, remove, err := commitCall(r, message, paths)
	if err != nil {
		return "", err
	}
	defer remove()
	free, begun := r.CommitLocks() == "", time.Now()
	var out []byte
	var failed error
	err = r.Retry(ctx, func() error {
		if why := gitops.OperationWhy(r.Operation()); why != "" { // begun since the files were staged
			failed = gitops.Blocked(why, "")
			return failed
		}
		out, failed = r.Git(ctx, c)
		return failed
	})
	if err == nil {
		return committed(r, string(out))
	}
	// A git that failed for another reason than a lock may not have been able to remove its own.
	if free && !gitops.IsLocked(failed) && gitops.BlockedBy(failed) == "" && r.CommitLocks() != "" && !r.DropOwnLocks(ctx, begun) {
		r.NoteLockLeft(begun, nil) // for the next act
	}
	var e *gitops.RunError
	if !errors.As(failed, &e) {
		return "", err
	}
	if movedHead(failed) {
		s, stateErr := r.State()
		return s.Head, errors.Join(err, stateErr)
	}
	if strings.Contains(e.Full, "unable to read tree") {
		if lost, _ := r.HeadLost(ctx); lost != "" {
			e.Public.Stderr = lost + " (memctl doctor)"
		}
	}
	if strings.Contains(e.Full, "did not match any file(s) known to git") {
		return "", errDropped
	}
	if e.Public.Status == 1 {
		err = refused(ctx, r, err, paths)
	}
	return "", err
}

// commitCall is the command, with what is to be removed after it. What settings
// could do to the message or the answer is switched off. Where there is nothing to
// commit git tells its status, for which it need not look for untracked files (-uno).
func commitCall(r *gitops.Repo, message string, paths []string) (c gitops.Call, remove func(), err error) {
	// core.hooksPath switches off the hooks in files, all of them; --no-verify those that stop a
	// commit, wherever a newer git may keep them.
	config := append(gitops.QuietConfig(), "core.abbrev="+wholeID(r), "commit.status=false", "i18n.commitEncoding=UTF-8", "core.hooksPath="+os.DevNull)
	args := []string{"commit", "--only", "--cleanup=verbatim", "--no-verbose", "--no-edit", "-uno", "--no-verify"}
	if len(paths) <= gitops.MaxArgPaths {
		args = append(append(args, "-F", "-", "--"), paths...)
		return gitops.Call{Args: args, Config: config, Stdin: []byte(message), Writes: true}, func() {}, nil
	}
	name, remove, err := messageFile(message)
	args = append(args, "-F", name, "--pathspec-from-file=-", "--pathspec-file-nul")
	return gitops.Call{Args: args, Config: config, Stdin: gitops.PathsOnStdin(paths), Writes: true}, remove, err
}

// messageFile holds the message of a commit whose paths are on stdin. The
// system's folder for such files has nothing of the repository's in it.
func messageFile(message string) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "memctl-message-")
	if err != nil {
		return "", nil, err
	}
	_, err = f.WriteString(message)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}

// wholeID is the value of core.abbrev with which git tells ids whole. Git knows "no"
// from 2.31 on, and 64 digits only once it has read what kind of ids these are.
func wholeID(r *gitops.Repo) string {
	if r.FileConfig()["extensions.objectformat"] == "sha256" {
		return "no"
	}
	return "40"
}

// Restage makes the files stand in the index as in HEAD. Errors: fault.Blocked,
// *Error.
func Restage(ctx context.Context, r *gitops.Repo, paths []string) error {
	c := gitops.Call{Args: append([]string{"reset", "-q", "--"}, paths...), Writes: true}
	if len(paths) > gitops.MaxArgPaths {
		c.Args, c.Stdin = []string{"reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"}, gitops.PathsOnStdin(paths)
	}
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, c)
		return err
	})
}

// refused tells the meanings of exit status 1 apart: nothing to commit, or a rebase that has moved HEAD since to where the files differ.
func refused(ctx context.Context, r *gitops.Repo, err error, paths []string) error {
	var e *gitops.Error
	if !errors.As(err, &e) {
		return err
	}
	switch differ, diffErr := differFromHead(ctx, r, paths); {
	case diffErr != nil:
		return errors.Join(err, diffErr)
	case !differ:
		return nil
	}
	if why := gitops.OperationWhy(r.Operation()); why != "" {
		return gitops.Blocked(why, e.Stderr)
	}
	return err
}

// differFromHead compares the files on disk with HEAD, whatever is staged. One that the
// index does not have and HEAD has counts as not there.
func differFromHead(ctx context.Context, r *gitops.Repo, paths []string, env ...string) (bool, error) {
	s, err := r.State()
	if err != nil {
		return false, err
	}
	if s.Unborn {
		for _, p := range paths {
			if on, err := worktree.OnDisk(r, p); on || err != nil {
				return on, err
			}
		}
		return false, nil
	}
	args := []string{"diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", s.Head}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, gitops.Pathspecs(paths)...), Env: env})
	asked := gitops.PathSet(paths)
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if asked[string(name)] {
			return true, nil
		}
	}
	for _, p := range paths { // git's diff says nothing of those that neither has
		if on, diskErr := worktree.OnDisk(r, p); err == nil && diskErr == nil && on && !worktree.CommitHas(ctx, r, s.Head, p) {
			return true, nil
		}
	}
	return false, gitops.PublicError(err)
}

// committed finds the new commit's id in "[main (root-commit) ID] subject".
// HEAD is no substitute: another commit may stand on it already.
func committed(r *gitops.Repo, out string) (string, error) {
	for line := range strings.SplitSeq(out, "\n") {
		head, _, ok := strings.Cut(line, "] ")
		if ok && strings.HasPrefix(head, "[") {
			id := head[strings.LastIndexByte(head, ' ')+1:]
			if gitops.IsID(id) {
				return id, nil
			}
		}
	}
	s, err := r.State()
	return s.Head, err
}

// movedHead reports whether the commit was made, and git could not write the index.
func movedHead(err error) bool {
	var e *gitops.RunError
	return errors.As(err, &e) && strings.Contains(e.Full, "repository has been updated, but unable to write")
}
