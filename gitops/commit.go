package gitops

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// CommitRequest is one commit of exact files.
type CommitRequest struct {
	Paths []string // relative to Root, slash-separated; files, never folders
	// Bytes is what the files hold, by path; nil for one that is not there. A file that is
	// otherwise on disk is not committed (*safefile.ChangedError). Paths that are not in it
	// are committed as they stand.
	Bytes    map[string][]byte
	Subject  string
	Body     string
	Trailers []Trailer
	Hooks    bool // run the repository's commit hooks (default: none of them, not even post-commit)
	// Settings is what git's settings say of commits, with which memctl makes an ordinary
	// commit by itself. nil: git makes every one.
	Settings *CommitSettings
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
// Errors: *BlockedError (with a stable Why) where it cannot be committed now;
// *Error else. Nothing was changed then, with one exception: a hash together
// with an error means that the commit was made and git could not write the
// index after it.
func (r *Repo) Commit(ctx context.Context, req CommitRequest) (hash string, err error) {
	message, err := Message(req.Subject, req.Body, req.Trailers)
	if err != nil {
		return "", err
	}
	if _, err := r.State(); err != nil {
		return "", err
	}
	if why := r.Waits(ctx, lockPatience); why != "" {
		return "", &BlockedError{Why: why}
	}
	if hash, err = r.commitPlain(ctx, req, message); !errors.Is(err, errGits) {
		return hash, err
	}
	paths, fresh, err := r.sortPaths(ctx, req.Paths)
	if err == nil {
		err = r.asGiven(req.Bytes)
	}
	if err != nil || len(paths) == 0 {
		return "", err
	}
	if len(fresh) > 0 {
		hash, err = r.commitAdded(ctx, message, paths, fresh, req.Hooks)
	} else {
		hash, err = r.commitOnly(ctx, message, paths, req.Hooks)
	}
	if hash != "" && err == nil && !req.Hooks {
		err = r.committedAsGiven(ctx, hash, req.Bytes)
	}
	return hash, err
}

// committedAsGiven is a *safefile.ChangedError if a file is not in the commit as given:
// another program has written it in the moment before git read it. Files that git converts
// are not looked at.
func (r *Repo) committedAsGiven(ctx context.Context, commit string, files map[string][]byte) error {
	blobs, _, err := r.BlobsAt(ctx, commit, slices.Collect(maps.Keys(files)))
	if err != nil {
		return nil // the commit is made, and nobody else's
	}
	for name, data := range files {
		is := blobs[name]
		if data == nil && is == "" || r.Converts(ctx, name) || bytes.IndexByte(data, '\r') >= 0 {
			continue
		}
		if data == nil || is == "" || is != BlobID(len(is), data) {
			return &safefile.ChangedError{Name: name}
		}
	}
	return nil
}

// commitAdded commits new files: git has to know them first.
func (r *Repo) commitAdded(ctx context.Context, message string, paths, fresh []string, hooks bool) (hash string, err error) {
	before, err := r.State()
	if err != nil {
		return "", err
	}
	for range maxDropped {
		if err := r.addFiles(ctx, fresh); err != nil {
			return "", err
		}
		if hash, err = r.commitOnly(ctx, message, paths, hooks); !errors.Is(err, errDropped) {
			break
		}
	}
	if hash == "" && err != nil {
		err = errors.Join(err, r.unaddSince(ctx, before, fresh))
	}
	return hash, err // without a commit and an error HEAD has the files as they stand
}

// errDropped: a new file is not in the index any more. Git reads the index
// before it locks it, so another git's commit can write one without the file.
var errDropped = errors.New("another git dropped a staged file")

// maxDropped is how often such a file is staged again.
const maxDropped = 5

// commitOnly runs git commit. Identity, signing, attributes and filters are git's.
func (r *Repo) commitOnly(ctx context.Context, message string, paths []string, hooks bool) (string, error) {
	c, remove, err := r.commitCall(ctx, message, paths, hooks)
	if err != nil {
		return "", err
	}
	defer remove()
	free, begun := r.usualLocks() == "", time.Now()
	before, _ := r.State()
	var out []byte
	var failed error
	died := false
	err = r.retry(ctx, func() error {
		if why := operationWhy(r.operation()); why != "" { // begun since the files were staged
			failed = &BlockedError{Why: why}
			return failed
		}
		out, failed = r.git(ctx, c)
		died = died || killed(failed)
		return failed
	})
	if err == nil {
		return r.committed(string(out))
	}
	// A git that failed for another reason than a lock may not have been able to remove its own.
	if free && !isLocked(failed) && blockedBy(failed) == "" && r.usualLocks() != "" && !r.mended(ctx, begun) {
		r.noteStruck(begun, nil) // for the next act
	}
	var e *runError
	if !errors.As(failed, &e) {
		return r.struckLate(ctx, before, paths, err, failed)
	}
	if movedHead(failed) {
		hash, stateErr := r.afterDeath(ctx, before, paths)
		if hash != "" && stateErr == nil {
			return hash, nil
		}
		s, _ := r.State()
		return s.Head, errors.Join(err, stateErr)
	}
	if strings.Contains(e.full, "unable to read tree") {
		if lost, _ := r.HeadLost(ctx); lost != "" {
			e.public.Stderr = lost + " (memctl doctor)"
		}
	}
	if strings.Contains(e.full, "did not match any file(s) known to git") {
		// A file that was removed is known no more where the one before was
		// killed when it had done all.
		if differ, err := r.differFromHead(ctx, paths); died && err == nil && !differ {
			return r.afterDeath(ctx, before, paths)
		}
		return "", errDropped
	}
	if e.public.Status == 1 {
		if err = r.refused(ctx, err, paths, hooks); err == nil && died {
			return r.afterDeath(ctx, before, paths)
		}
	}
	return "", err
}

// commitCall is the command, with what is to be removed after it. What settings
// could do to the message or the answer is switched off. Where there is nothing to
// commit git tells its status, for which it need not look for untracked files (-uno).
func (r *Repo) commitCall(ctx context.Context, message string, paths []string, hooks bool) (c call, remove func(), err error) {
	config := append(quietConfig(), "core.abbrev="+r.wholeID(), "commit.status=false", "i18n.commitEncoding=UTF-8")
	args := []string{"commit", "--only", "--cleanup=verbatim", "--no-verbose", "--no-edit", "-uno"}
	if !hooks {
		// The first switches off the hooks in files, all of them; the second
		// those that stop a commit, wherever a newer git may keep them.
		config = append(config, "core.hooksPath="+os.DevNull)
		args = append(args, "--no-verify")
	}
	if len(paths) <= maxArgPaths {
		args = append(append(args, "-F", "-", "--"), paths...)
		return call{args: args, config: config, stdin: []byte(message), writes: true}, func() {}, nil
	}
	specs, err := r.folded(ctx, paths)
	if err != nil {
		return call{}, nil, err
	}
	name, remove, err := messageFile(message)
	args = append(args, "-F", name, "--pathspec-from-file=-", "--pathspec-file-nul")
	return call{args: args, config: config, stdin: onStdin(specs), writes: true}, remove, err
}

// wholeID is the value of core.abbrev with which git tells ids whole. Git knows "no"
// from 2.31 on, and 64 digits only once it has read what kind of ids these are.
func (r *Repo) wholeID() string {
	if r.fileConfig()["extensions.objectformat"] == "sha256" {
		return "no"
	}
	return "40"
}

// struckLate tells of a commit whose time was over, or that somebody stopped: it may
// have been made all the same. One that was not begun was not, whoever moved HEAD since.
func (r *Repo) struckLate(ctx context.Context, before State, paths []string, err, failed error) (string, error) {
	var not *BlockedError
	if errors.As(failed, &not) || errors.Is(failed, errIndexMoved) {
		return "", err
	}
	if now, stateErr := r.State(); stateErr != nil || now.Head == before.Head {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endDelay)
	defer cancel()
	if differ, diffErr := r.differFromHead(ctx, paths); differ || diffErr != nil {
		return "", err
	}
	return r.afterDeath(ctx, before, paths)
}

// afterDeath ends what a git began that was killed after it moved the branch and
// before it wrote the index: the files would stand there as staged for removal.
func (r *Repo) afterDeath(ctx context.Context, before State, paths []string) (string, error) {
	now, err := r.State()
	if err != nil || now.Head == before.Head {
		return "", err
	}
	return now.Head, r.Restage(ctx, paths)
}

// Restage makes the files stand in the index as in HEAD. Errors: *BlockedError,
// *Error.
func (r *Repo) Restage(ctx context.Context, paths []string) error {
	c := call{args: append([]string{"reset", "-q", "--"}, paths...), writes: true}
	if len(paths) > maxArgPaths {
		c.args, c.stdin = []string{"reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"}, onStdin(paths)
	}
	return r.retry(ctx, func() error {
		_, err := r.git(ctx, c)
		return err
	})
}

// refused tells the meanings of exit status 1 apart: nothing to commit, a hook that said
// no, or a rebase that has moved HEAD since to where the files differ.
func (r *Repo) refused(ctx context.Context, err error, paths []string, hooks bool) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch differ, diffErr := r.differFromHead(ctx, paths); {
	case diffErr != nil:
		return errors.Join(err, diffErr)
	case !differ:
		return nil
	case hooks:
		return &BlockedError{Why: WhyHook, Detail: e.Stderr}
	}
	if s, stateErr := r.State(); stateErr == nil && operationWhy(s.Operation) != "" {
		return &BlockedError{Why: operationWhy(s.Operation), Detail: e.Stderr}
	}
	return err
}

// differFromHead compares the files on disk with HEAD, whatever is staged. One that the
// index does not have and HEAD has counts as not there.
func (r *Repo) differFromHead(ctx context.Context, paths []string, env ...string) (bool, error) {
	s, err := r.State()
	if err != nil {
		return false, err
	}
	if s.Unborn {
		for _, p := range paths {
			if on, err := r.onDisk(p); on || err != nil {
				return on, err
			}
		}
		return false, nil
	}
	args := []string{"diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", s.Head}
	out, err := r.git(ctx, call{args: append(args, pathspecs(paths)...), env: env})
	asked := setOf(paths)
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if asked[string(name)] {
			return true, nil
		}
	}
	for _, p := range paths { // git's diff says nothing of those that neither has
		if on, diskErr := r.onDisk(p); err == nil && diskErr == nil && on && !r.CommitHas(ctx, s.Head, p) {
			return true, nil
		}
	}
	return false, publicError(err)
}

// committed finds the new commit's id in "[main (root-commit) ID] subject".
// HEAD is no substitute: another commit may stand on it already.
func (r *Repo) committed(out string) (string, error) {
	for line := range strings.SplitSeq(out, "\n") {
		head, _, ok := strings.Cut(line, "] ")
		if ok && strings.HasPrefix(head, "[") {
			id := head[strings.LastIndexByte(head, ' ')+1:]
			if isID(id) {
				return id, nil
			}
		}
	}
	s, err := r.State()
	return s.Head, err
}

// movedHead reports whether the commit was made, and git could not write the index.
func movedHead(err error) bool {
	var e *runError
	return errors.As(err, &e) && strings.Contains(e.full, "repository has been updated, but unable to write")
}
