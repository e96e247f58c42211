package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
)

// brokenRef is the error for a ref; its hint shows the commits that the ref had.
func (r *Repo) brokenRef(name, file, what string) error {
	e := &fault.Error{Code: fault.BrokenRef, Thing: file, Cause: what + "; an interrupted write can leave a ref like this"}
	if log := r.logFile(name); Exists(log) {
		e.Hints = []string{"tail -n 3 " + shell.Quote(log), "git fsck"}
	}
	return e
}

// unreadable is the error for a HEAD that could not be read.
func (r *Repo) unreadable(name, file string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("%q: %w", file, err)
	}
	return r.brokenRef(name, file, "is not a file")
}

func (r *Repo) logFile(name string) string {
	return filepath.Join(r.RefFolder(name), "logs", filepath.FromSlash(name))
}

// HeadLost says that the tree of HEAD's commit is missing, and names the command that tells more;
// "" if it is there. A power cut or a git gc --prune=now during a commit can lose it.
func (r *Repo) HeadLost(ctx context.Context) (said, look string) {
	s, err := r.State()
	if err != nil || s.Unborn {
		return "", ""
	}
	_, err = r.Git(ctx, Call{Args: []string{"cat-file", "-e", s.Head + "^{tree}"}})
	switch {
	case BlockedBy(err) == WhyMissing:
		return "the tree of HEAD's commit is missing from this partial clone, and memctl does not fetch", "git cat-file -e 'HEAD^{tree}'"
	case StatusOf(err) > 0:
		return "the tree of HEAD's commit is not in the repository: if git has the commit before it, run git reset --soft HEAD~1 and commit the files again", "git fsck"
	}
	return "", ""
}
