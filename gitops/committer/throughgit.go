// Package committer makes commits. It builds an ordinary commit itself, without starting
// git: built.go stores the objects, publish.go moves the branch and updates the index.
// Every other commit is made by git, which alone knows its filters and hooks
// (throughgit.go). The journal is a second line of commits, on a ref of memctl's own.
package committer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
)

// Request is one commit of exact files.
type Request struct {
	Paths []string // relative to Root, slash-separated; files, never folders
	// Bytes is what each of them holds in the commit, by path; nil for one that the commit removes.
	Bytes    map[string][]byte
	Subject  string
	Body     string
	Trailers []object.Trailer
	// Settings is what git's settings say of commits, with which memctl makes an ordinary
	// commit by itself. nil: git makes every one.
	Settings *Settings
	// Merge is the other history that the commit takes in; nil for none.
	Merge *Merge
	// Ahead is called when the commit is stored and nothing has moved yet, with the commit's id (HEAD's, "" if unborn,
	// where there is nothing to commit). The caller writes its record and its files, and returns what the system says of
	// these files. If another git is faster, the commit is built and Ahead called again. After an error nothing moves.
	Ahead func(commit string) (written map[string]fs.FileInfo, err error)
}

// Merge is what a commit with two parents needs to know. The files of the Request are those that it changes in From.
type Merge struct {
	From string // HEAD's commit, "" on an unborn branch. If HEAD is at another one, nothing is committed (fault.Moved)
	With string // the newest commit of the other history
	// Forward: From is in the history of With. The branch moves to With itself where the files are the same there.
	Forward bool
}

// parents are the parents of a commit on head.
func (req Request) parents(head string) []string {
	list := []string{head}
	if m := req.Merge; m != nil {
		if list = append(list, m.With); m.Forward {
			list = list[1:]
		}
	}
	return slices.DeleteFunc(list, func(id string) bool { return id == "" })
}

// forward reports whether the branch can move to the merged commit, because that has the tree.
func (req Request) forward(ctx context.Context, r *gitops.Repo, tree string) bool {
	if req.Merge == nil || !req.Merge.Forward {
		return false
	}
	theirs := ""
	err := object.WithReader(ctx, r, func(o object.Reader) (err error) {
		theirs, err = object.TreeOf(o, req.Merge.With)
		return err
	})
	return err == nil && theirs == tree
}

// moved is the error of a merge whose branch is at another commit by now.
func moved(branch string) error {
	return fault.New(fault.Moved, branch, "has another commit since it was read")
}

// ahead calls Ahead, if there is one. failed keeps its error.
func (req Request) ahead(commit string, failed *error) (written map[string]fs.FileInfo, err error) {
	if req.Ahead != nil {
		written, *failed = req.Ahead(commit)
	}
	return written, *failed
}

// Commit commits the bytes of the files that are given, and nothing else. The index gets the files before the branch
// moves: after a crash in between, the person's next commit reverts nothing. A path to remove that neither git nor
// the disk knows is passed over. With nothing to commit it returns "", and adds files back to the index that are
// unchanged from HEAD. Other staged files and the marks of the index stay. An ignored file is committed all the
// same.
//
// Never prompts. The caller holds its own lock. Commit waits a few seconds for another git's locks.
//
// Errors: that of Ahead; fault.ChangedOnDisk where another program changes a file meanwhile; fault.Blocked (with a stable Why) where it cannot be committed now; *Error else. The branch has
// not moved then.
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
	paths, err := worktree.SortPaths(ctx, r, req.Paths, req.Bytes)
	if err != nil {
		return "", err
	}
	return commitByGit(ctx, r, req, message, paths)
}

// commitByGit has git make a commit that memctl does not build: of files that git converts, with an identity or a signature
// that it works out, in a repository of another form. The commit is made in an index of memctl's own. Errors: those of Commit.
func commitByGit(ctx context.Context, r *gitops.Repo, req Request, message string, paths []string) (hash string, err error) {
	staged := false
	var failed error
	err = ownIndex(r, func(index string) error {
		return r.Retry(ctx, func() error {
			if why := gitops.OperationWhy(r.Operation()); why != "" {
				return gitops.Blocked(why, "")
			}
			head, was, tree, err := treeWith(ctx, r, req, paths, index)
			switch {
			case err != nil:
				return err
			case req.Merge != nil && req.Merge.From != head:
				return moved("HEAD")
			case req.Merge == nil && tree == was:
				_, _ = req.ahead(head, &failed)
				return nil
			}
			id, signed := "", false
			if req.forward(ctx, r, tree) {
				id = req.Merge.With
			} else {
				signed = signs(ctx, r, req)
				if id, err = commitTree(ctx, r, tree, req.parents(head), message, signed); err != nil {
					return err
				}
			}
			if signed { // it can wait for the person, and a git that prunes takes meanwhile what no ref leads to
				if now, _, again, err := treeWith(ctx, r, req, paths, index); err != nil || now != head || again != tree {
					return cmp.Or(err, gitops.ErrIndexMoved)
				}
			}
			if _, err := req.ahead(id, &failed); err != nil {
				return nil
			}
			if err := addFiles(ctx, r, paths); err != nil {
				return err
			}
			if staged, failed = true, worktree.AsGiven(r, req.Bytes); failed != nil {
				return nil
			}
			reason := cmp.Or(os.Getenv("GIT_REFLOG_ACTION"), "commit") + ": " + object.OneLine(req.Subject)
			none := strings.Repeat("0", len(id))
			if _, err = r.Git(ctx, gitops.Call{Args: []string{"update-ref", "-m", reason, "HEAD", id, cmp.Or(head, none)}, Config: withoutHooks(), Writes: true}); err != nil {
				if now, stateErr := r.State(); stateErr != nil || now.Head != id {
					return err
				}
			}
			hash, staged = id, false
			return nil
		})
	})
	if err = cmp.Or(failed, err); staged {
		err = errors.Join(err, Restage(context.WithoutCancel(ctx), r, paths))
	}
	if err == nil { // another git's commit can write an index that it read before
		err = worktree.AddLacking(ctx, r, paths)
	}
	if hash != "" {
		err = nil // the next act looks at the index again
	}
	return hash, err
}

// ownIndex calls do with the variable of an index of memctl's own, which does not exist yet.
func ownIndex(r *gitops.Repo, do func(index string) error) error {
	dir, err := os.MkdirTemp(r.GitDir, gitops.OwnIndexPrefix)
	if err != nil {
		return r.Explain(err)
	}
	err = do("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if os.RemoveAll(dir) != nil { // what is left counts as a lock of git's
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// treeWith stores HEAD's tree with the files as given. It returns HEAD ("" on an unborn branch),
// its tree and the stored one.
func treeWith(ctx context.Context, r *gitops.Repo, req Request, paths []string, index string) (head, was, tree string, err error) {
	s, err := r.State()
	if err != nil {
		return "", "", "", err
	}
	run := func(stdin []byte, args ...string) string {
		if err != nil {
			return ""
		}
		var out []byte
		out, err = r.Git(ctx, gitops.Call{Args: args, Config: withoutHooks(), Env: []string{index}, Stdin: stdin, Writes: true})
		return strings.TrimSpace(string(out))
	}
	if s.Unborn {
		run(nil, "read-tree", "--empty")
		was = run(nil, "write-tree")
	} else {
		run(nil, "read-tree", s.Head)
		was = run(nil, "rev-parse", s.Head+"^{tree}")
	}
	var list bytes.Buffer
	known := ""
	if r.FileConfig()["core.filemode"] == "false" {
		known = run(nil, "ls-files", "-s", "-z")
	}
	for _, name := range paths {
		data, mode, id := req.Bytes[name], "0", strings.Repeat("0", len(was))
		if data != nil && err == nil {
			if mode = "100644"; executable(r, name, "\x00"+known) {
				mode = "100755"
			}
			id, err = worktree.Clean(ctx, r, name, data)
		}
		fmt.Fprintf(&list, "%s %s 0\t%s\x00", mode, id, name)
	}
	if list.Len() > 0 {
		run(list.Bytes(), "update-index", "-z", "--index-info")
	}
	tree = run(nil, "write-tree")
	return s.Head, was, tree, err
}

// executable reports whether git marks the file as executable: as on disk, or as in the index (known) if
// core.filemode is false.
func executable(r *gitops.Repo, name, known string) bool {
	if r.FileConfig()["core.filemode"] == "false" {
		entry, _, _ := strings.Cut(known, "\t"+name+"\x00")
		return strings.HasPrefix(entry[strings.LastIndexByte(entry, 0)+1:], "100755")
	}
	info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name)))
	return err == nil && info.Mode()&0o111 != 0
}

// commitTree stores a commit of a tree, with the person's identity, and moves nothing. Errors: fault.Blocked, *Error.
func commitTree(ctx context.Context, r *gitops.Repo, tree string, parents []string, message string, sign bool) (id string, err error) {
	args := []string{"commit-tree", "-F", "-"}
	if sign {
		args = append(args, "-S")
	}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, tree), Config: withoutHooks(), Stdin: []byte(message), Writes: true})
	if err != nil && ctx.Err() == nil && gitops.BlockedBy(r.Explain(err)) == "" {
		if why := r.Nameless(ctx); why != "" {
			return "", gitops.Blocked(why, err.Error())
		}
		if sign { // each signing program has words of its own
			return "", gitops.Blocked(gitops.WhySigning, err.Error())
		}
	}
	return strings.TrimSpace(string(out)), err
}

// withoutHooks are the settings of the commands: no hook runs.
func withoutHooks() []string {
	return append(gitops.QuietConfig(), "i18n.commitEncoding=UTF-8", "core.hooksPath="+os.DevNull)
}

// addFiles reads the files into an index, the person's or the one of env; those that are gone leave it.
func addFiles(ctx context.Context, r *gitops.Repo, paths []string, env ...string) error {
	_, err := r.Git(ctx, gitops.Call{Args: []string{"update-index", "--add", "--remove", "-z", "--stdin"}, Config: withoutHooks(), Stdin: gitops.PathsOnStdin(paths), Env: env, Writes: true})
	return err
}

// signs reports whether the person's settings ask for signed commits.
func signs(ctx context.Context, r *gitops.Repo, req Request) bool {
	if req.Settings != nil {
		return req.Settings.Signed
	}
	config, err := r.Config(ctx)
	return err == nil && SettingsOf(config).Signed
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
