package remotes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
)

// TreeFile is one file of a commit.
type TreeFile struct {
	Mode string // as in trees: 100644, 100755, 120000 (a link), 160000 (a submodule)
	ID   string // of its blob
	Size int64  // in bytes; 0 for a submodule
}

// Regular reports whether it is a regular file.
func (f TreeFile) Regular() bool { return strings.HasPrefix(f.Mode, object.RegularMode) }

// Tree lists every file of a commit by its path; commit "" has none. Errors:
// fault.Blocked, *Error.
func Tree(ctx context.Context, r *gitops.Repo, commit string) (map[string]TreeFile, error) {
	files := map[string]TreeFile{}
	if commit == "" {
		return files, nil
	}
	if !gitops.IsID(commit) {
		return nil, fmt.Errorf("%q: no object id", commit)
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"ls-tree", "-r", "-z", "-l", "--full-tree", commit}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		meta, name, ok := strings.Cut(string(record), "\t")
		f := strings.Fields(meta) // mode type id size
		if !ok {
			continue
		}
		if len(f) != 4 || !gitops.IsID(f[2]) {
			return nil, fmt.Errorf("git ls-tree: %q: unknown form", meta)
		}
		size, _ := strconv.ParseInt(f[3], 10, 64) // "-": no blob
		files[name] = TreeFile{Mode: f[0], ID: f[2], Size: size}
	}
	return files, nil
}

// MergeRequest is one commit whose files are given, and not taken from the
// worktree.
type MergeRequest struct {
	Parents  []string            // commit ids, ours first
	Files    map[string]TreeFile // every file of the commit
	Subject  string
	Body     string
	Trailers []object.Trailer
}

// MergeCommit makes the commit and moves nothing: no branch, index or file
// changes. Identity and signing are as git's own commit would have them.
// Errors: fault.Blocked, *Error.
func MergeCommit(ctx context.Context, r *gitops.Repo, req MergeRequest) (id string, err error) {
	message, err := object.Message(req.Subject, req.Body, req.Trailers)
	if err != nil {
		return "", err
	}
	tree, err := writeTree(ctx, r, req.Files)
	if err != nil {
		return "", err
	}
	for _, p := range req.Parents {
		if !gitops.IsID(p) {
			return "", fmt.Errorf("%q: no object id", p)
		}
	}
	cfg, err := r.Config(ctx)
	id, err = committer.CommitTree(ctx, r, tree, req.Parents, message, err == nil && committer.SettingsOf(cfg).Signed)
	return id, r.Explain(err)
}

// writeTree builds the tree in an index of its own, so that the worktree's stays
// as it is.
func writeTree(ctx context.Context, r *gitops.Repo, files map[string]TreeFile) (tree string, err error) {
	var list bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := gitops.CheckPath(name); err != nil {
			return "", err
		}
		fmt.Fprintf(&list, "%s %s 0\t%s\x00", files[name].Mode, files[name].ID, name)
	}
	err = committer.OwnIndex(r, func(index string) error {
		env := []string{index}
		if _, err := r.Git(ctx, gitops.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: list.Bytes(), Env: env, Writes: true}); err != nil {
			return err
		}
		out, err := r.Git(ctx, gitops.Call{Args: []string{"write-tree"}, Env: env, Writes: true})
		tree = strings.TrimSpace(string(out))
		return err
	})
	return tree, r.Explain(err)
}

// Advance moves the branch that is checked out (or is yet to be born) from one
// commit to the next, and the index with it; the worktree's files are the
// caller's. It is a compare-and-swap: where the branch is not at from any more,
// nothing moves. from "" is an unborn branch. What is staged beside the
// difference stays staged. Errors: fault.Moved; fault.Blocked; *Error.
func Advance(ctx context.Context, r *gitops.Repo, from, to, reason string) error {
	if !gitops.IsID(to) || from != "" && !gitops.IsID(from) {
		return fmt.Errorf("%q: no object id", to)
	}
	s, err := r.State()
	if err != nil {
		return err
	}
	if s.Head != from {
		return moved(s.Branch)
	}
	if err := moveIndex(ctx, r, from, to); err != nil {
		return err
	}
	old := from
	if old == "" {
		old = strings.Repeat("0", len(to))
	}
	arrived := func() bool {
		now, err := r.State()
		return err == nil && now.Head == to
	}
	err = r.Retry(ctx, func() error {
		_, err := r.Git(ctx, gitops.Call{Args: []string{"update-ref", "-m", reason, "HEAD", to, old}, Writes: true})
		if err != nil && !gitops.Killed(err) && arrived() {
			return nil // the git before this one was killed when it had moved the branch
		}
		return err
	})
	if err != nil && !arrived() {
		back := moveIndex(context.WithoutCancel(ctx), r, to, from)
		if now, stateErr := r.State(); stateErr == nil && now.Head != from {
			err = moved(now.Branch)
		}
		return errors.Join(err, back)
	}
	// Only the files' times: without it the next status looks at each of them.
	_, _ = r.Git(ctx, gitops.Call{Args: []string{"update-index", "-q", "--refresh"}, Writes: true})
	return nil
}

// moveIndex takes what differs between the commits into the index.
func moveIndex(ctx context.Context, r *gitops.Repo, from, to string) error {
	args := []string{"read-tree", "-i", "-m"}
	for _, id := range []string{from, to} {
		if id == "" {
			var err error
			if id, err = object.NewWriter(ctx, r).Write("tree", nil); err != nil {
				return err
			}
		}
		args = append(args, id)
	}
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, gitops.Call{Args: args, Writes: true})
		return err
	})
}

// Ahead counts the commits that lead to the tip and not to the other commit; "" is a history
// without commits. Errors: fault.Blocked, *Error.
func Ahead(ctx context.Context, r *gitops.Repo, tip, other string) (int, error) {
	if tip == "" {
		return 0, nil
	}
	args := []string{"rev-list", "--count", tip}
	if other != "" {
		args = append(args, "^"+other)
	}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, "--")})
	if err != nil {
		return 0, gitops.PublicError(err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// CommitMessage is a commit with its whole message.
type CommitMessage struct{ Commit, Message string }

// NewMessages are the messages of the commits that lead to the tip and not to the other commit; ""
// is a history without commits. Errors: fault.Blocked, *Error.
func NewMessages(ctx context.Context, r *gitops.Repo, tip, other string) ([]CommitMessage, error) {
	args := []string{"rev-list", "--format=%B%x00", tip}
	if other != "" {
		args = append(args, "^"+other)
	}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, "--")})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	var list []CommitMessage
	for record := range strings.SplitSeq(string(out), "\x00") {
		head, message, ok := strings.Cut(strings.TrimLeft(record, "\n"), "\n")
		if commit, is := strings.CutPrefix(head, "commit "); ok && is {
			list = append(list, CommitMessage{commit, message})
		}
	}
	return list, nil
}

// Uncommitted lists the files that differ from HEAD, untracked ones included
// and ignored ones not, by path. Errors: fault.Blocked, *Error.
func Uncommitted(ctx context.Context, r *gitops.Repo) ([]string, error) {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"}})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	var list []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) > 3 {
			list = append(list, string(record[3:]))
		}
	}
	return list, nil
}
