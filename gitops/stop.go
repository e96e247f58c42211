package gitops

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Stop looks at the marks of the operation in this worktree, and where they do not tell
// whether anything but the files is staged, at the index. A bisect goes on by the person's
// verdict, and has no command here.
func (r *Repo) Stop(ctx context.Context, files []string) Stop {
	op := r.operation()
	switch op {
	case "merge":
		return Stop{Command: "git merge --continue", Takes: true}
	case "am":
		return Stop{Command: "git am --continue", Takes: r.stagedBeside(ctx, files)}
	case "rebase":
		return Stop{Command: "git rebase --continue", Takes: r.rebaseTakes(ctx, files)}
	case "cherry-pick", "revert":
		s := Stop{Command: "git " + op + " --continue", Takes: true}
		if !r.hasMark("CHERRY_PICK_HEAD") && !r.hasMark("REVERT_HEAD") {
			s.Takes, s.Passes = false, r.firstTodo()
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
func (r *Repo) rebaseTakes(ctx context.Context, files []string) bool {
	if !r.hasMark("rebase-merge") {
		return true // by patches it stops at conflicts alone
	}
	amend, err := readSmall(filepath.Join(r.GitDir, "rebase-merge", "amend"))
	if err != nil {
		return r.hasMark("rebase-merge/author-script") && r.stagedBeside(ctx, files)
	}
	s, err := r.State()
	return err == nil && s.Head == strings.TrimSpace(string(amend))
}

// stagedBeside reports whether other files than these are staged, or unmerged: of a patch
// that could not be applied nothing is, and going on would commit the files in its name.
func (r *Repo) stagedBeside(ctx context.Context, files []string) bool {
	out, err := r.git(ctx, call{args: []string{"diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD"}})
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
func (r *Repo) firstTodo() string {
	todo, err := readSmall(filepath.Join(r.GitDir, "sequencer", "todo"))
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
func (r *Repo) hasMark(name string) bool {
	_, err := os.Lstat(filepath.Join(r.GitDir, filepath.FromSlash(name)))
	return err == nil
}
