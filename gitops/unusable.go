package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
)

// UnusableError: the folder has a git folder of its own, and git cannot work with it.
type UnusableError struct {
	Top  string // the folder that would be the worktree's top
	What string // what is wrong
	Mend string // the command that mends it, "" where none is known
	// Owner: git refuses the repository because it belongs to another user. Its memory is
	// that user's, and is not read.
	Owner bool
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%q: git cannot use the repository: %s", e.Top, e.What)
}

// Refused is an *UnusableError where git refuses to work in the repository, because it
// belongs to another user and safe.directory does not name it; nil where git works there,
// or does not answer. Git is asked only about a repository of another user.
func (r *Repo) Refused(ctx context.Context) error {
	if runtime.GOOS == "windows" || Ours(r) {
		return nil
	}
	_, err := r.Git(ctx, Call{Args: []string{"rev-parse", "--git-dir"}})
	var blocked *BlockedError
	if !errors.As(err, &blocked) || blocked.Why != WhyOwnership {
		return nil
	}
	e := &UnusableError{Top: r.Root, What: "it belongs to another user (" + WhyOwnership + ")", Owner: true}
	for line := range strings.Lines(blocked.Detail) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config ") {
			e.Mend = line
		}
	}
	return e
}

// bare is the error for a repository that says it is bare. One that was found by a .git,
// and whose files stand beside that, has a worktree as well: core.bare was set there by
// accident, which editors, other programs and a git in the wrong folder do.
func (r *Repo) bare(found string) error {
	_, noDot := os.Lstat(filepath.Join(found, ".git"))
	_, noIndex := os.Lstat(filepath.Join(r.GitDir, "index"))
	if noDot != nil || noIndex != nil || !r.checkedOut(found) {
		return fault.New(fault.BareRepository, r.GitDir, "a bare repository, without a worktree")
	}
	// Where worktrees have settings of their own, this one's wins, and the main
	// repository of a linked one may well be bare.
	own := ""
	if IsTrue(r.FileConfig()["extensions.worktreeconfig"]) {
		own = "--worktree "
	}
	return &UnusableError{Top: found, What: "core.bare says that it has no worktree, and it has one", Mend: "git config " + own + "core.bare false"}
}

// checkedOut reports whether a file of memory or one that the index names stands in the
// folder. A repository that was made bare, with its worktrees in folders beside its .git,
// has often kept its index, and none of the files.
func (r *Repo) checkedOut(top string) bool {
	if _, err := os.Lstat(filepath.Join(top, "memories.md")); err == nil {
		return true
	}
	data, idLen, ok := r.IndexBytes()
	if stands, sure := standsOf(top, data, idLen); ok && sure {
		return stands
	}
	linked, _ := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	return len(linked) == 0
}

// standsOf reports whether a file that the index names stands in the folder; sure is
// false where the index does not say all of its names.
func standsOf(top string, data []byte, idLen int) (stands, sure bool) {
	first, skip, named := "", false, true // the first part of the last name; nothing below it counts
	err := indexfile.Each(data, idLen, func(name []byte, _ indexfile.Raw) bool {
		if named = len(name) > 0; !named { // a split index names each but once
			return false
		}
		part, _, below := bytes.Cut(name, []byte("/"))
		if string(part) != first {
			first = string(part)
			_, gone := os.Lstat(filepath.Join(top, first))
			_, other := os.Lstat(filepath.Join(top, first, ".git")) // a repository of its own
			skip = gone != nil || below && other == nil
		}
		if !skip {
			_, err := os.Lstat(filepath.Join(top, string(name)))
			stands = err == nil
		}
		return !stands
	})
	return stands, err == nil && named
}

// noWorktree is the error for a worktree that is named and is no folder.
func (r *Repo) noWorktree(found, named string, byVariable bool) error {
	e := &UnusableError{Top: found, What: fmt.Sprintf("GIT_WORK_TREE names %q, which is no folder", named), Mend: "unset GIT_WORK_TREE"}
	if byVariable {
		return e
	}
	own, at := map[string]string{}, ""
	readFileConfig(filepath.Join(r.GitDir, "config.worktree"), own)
	if own["core.worktree"] != "" {
		at = "--worktree "
	}
	// Without a worktree named, git stops before it would change its configuration.
	e.What, e.Mend = fmt.Sprintf("core.worktree names %q, which is no folder", named), "git --work-tree=. config "+at+"--unset core.worktree"
	return e
}

// readGitFile follows the one line "gitdir: PATH" that stands for a git folder
// in linked worktrees, submodules and after --separate-git-dir; top is the folder whose
// git folder that is.
func readGitFile(file, top string) (string, error) {
	bad := &UnusableError{Top: top, Mend: "git worktree repair " + shell.Quote(top)}
	data, err := ReadSmall(file)
	if err != nil {
		bad.What, bad.Mend = "the file .git cannot be read", ""
		return "", bad
	}
	target, ok := bytes.CutPrefix(data, []byte("gitdir: "))
	if !ok {
		bad.What = "the file .git does not say where its git folder is (in a linked worktree, mended from the main one)"
		return "", bad
	}
	p := strings.TrimRight(string(target), "\r\n")
	if !filepath.IsAbs(p) {
		p = filepath.Join(filepath.Dir(file), p)
	}
	gd, err := realPath(p)
	if err == nil {
		if _, ok := isGitDir(gd); ok {
			return gd, nil
		}
	}
	bad.leadsNowhere(p)
	return "", bad
}

// leadsNowhere says of a .git file whose git folder is not there what it may be, and what
// mends it: a linked worktree's is below that of its repository, which was moved, or which
// pruned the worktree.
func (e *UnusableError) leadsNowhere(gd string) {
	common := filepath.Dir(filepath.Dir(gd))
	_, there := isGitDir(common)
	switch {
	case filepath.Base(filepath.Dir(gd)) != "worktrees":
		e.What, e.Mend = fmt.Sprintf("the file .git leads to %q, and there is no git folder there", gd), ""
	case there:
		e.What = fmt.Sprintf("the file .git leads to %q, which was pruned: a new worktree has a git folder, and what is here can be copied to it", gd)
		e.Mend = "git -C " + shell.Quote(common) + " worktree add " + shell.Quote(e.Top+"-new")
	default:
		e.What = fmt.Sprintf("the file .git leads to %q, and there is no git folder there; where the repository was moved, mend it from its main worktree", gd)
	}
}
