package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
)

// Stop is how an operation goes on that has stopped for the person.
type Stop struct {
	Command string // that goes on with it, as in "git rebase --continue"; "" where none is under way
	// Takes: what is staged then goes into the commit that it makes. Else it goes on
	// only where nothing is staged.
	Takes bool
	// Passes is the commit that it passes over, as one that is done: where it was not,
	// the person has to pick it by itself. "" where there is none.
	Passes string
}

// Resume looks at the marks of the operation in this worktree, and where they do not tell
// whether anything but the files is staged, at the index. A bisect goes on by the person's
// verdict, and has no command here.
func Resume(ctx context.Context, r *gitops.Repo, files []string) Stop {
	op := r.Operation()
	switch op {
	case "merge":
		return Stop{Command: "git merge --continue", Takes: true}
	case "am":
		return Stop{Command: "git am --continue", Takes: stagedBeside(ctx, r, files)}
	case "rebase":
		return Stop{Command: "git rebase --continue", Takes: rebaseTakes(ctx, r, files)}
	case "cherry-pick", "revert":
		s := Stop{Command: "git " + op + " --continue", Takes: true}
		if !hasMark(r, "CHERRY_PICK_HEAD") && !hasMark(r, "REVERT_HEAD") {
			s.Takes, s.Passes = false, firstTodo(r)
		}
		return s
	}
	return Stop{}
}

// rebaseTakes reports whether the rebase makes a commit of what is staged: of a step
// that stopped at a conflict it keeps whose it was, and at an edit it amends, as long as
// nothing has been committed on top. After a break or an exec it has neither. A step that
// could not begin is done again: what is staged then would be a commit of its own, under
// that step's message.
func rebaseTakes(ctx context.Context, r *gitops.Repo, files []string) bool {
	if !hasMark(r, "rebase-merge") {
		return true // by patches it stops at conflicts alone
	}
	amend, err := gitops.ReadSmall(filepath.Join(r.GitDir, "rebase-merge", "amend"))
	if err != nil {
		return hasMark(r, "rebase-merge/author-script") && stagedBeside(ctx, r, files)
	}
	s, err := r.State()
	return err == nil && s.Head == strings.TrimSpace(string(amend))
}

// stagedBeside reports whether other files than these are staged, or unmerged: of a patch
// that could not be applied nothing is, and going on would commit the files in its name.
func stagedBeside(ctx context.Context, r *gitops.Repo, files []string) bool {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD"}})
	if err != nil {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" && !slices.Contains(files, name) {
			return true
		}
	}
	return false
}

// firstTodo is the commit that the list of a series begins with, shortened.
func firstTodo(r *gitops.Repo) string {
	todo, err := gitops.ReadSmall(filepath.Join(r.GitDir, "sequencer", "todo"))
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(todo, []byte("\n"))
	if fields := strings.Fields(string(line)); len(fields) > 1 {
		return fields[1]
	}
	return ""
}

// hasMark reports whether something of the name lies in the git folder.
func hasMark(r *gitops.Repo, name string) bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, filepath.FromSlash(name)))
	return err == nil
}
