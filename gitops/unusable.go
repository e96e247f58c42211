package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
)

// unusable is the error of a folder, the worktree's top, with a git folder that git cannot
// work with. mend is the command that mends it, "" where none is known.
func unusable(top, what, mend string) *fault.Error {
	return &fault.Error{Code: fault.Unusable, Thing: top, Cause: "git cannot use the repository: " + what, Way: mend}
}

// Refused is fault.Unusable where git refuses to work in the repository, because it
// belongs to another user and safe.directory does not name it; nil where git works there,
// or does not answer. Git is asked only about a repository of another user.
func (r *Repo) Refused(ctx context.Context) error {
	if runtime.GOOS == "windows" || Ours(r) {
		return nil
	}
	_, err := r.Git(ctx, Call{Args: []string{"rev-parse", "--git-dir"}})
	blocked := fault.Find(err, fault.Blocked)
	if blocked == nil || blocked.Why != WhyOwnership {
		return nil
	}
	e := unusable(r.Root, "it belongs to another user ("+WhyOwnership+")", "")
	for line := range strings.Lines(blocked.Detail) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config ") {
			e.Way = line
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
	return unusable(found, "core.bare says that it has no worktree, and it has one", "git config "+own+"core.bare false")
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
	if byVariable {
		return unusable(found, fmt.Sprintf("GIT_WORK_TREE names %q, which is not a folder", named), "unset GIT_WORK_TREE")
	}
	own, at := map[string]string{}, ""
	readFileConfig(filepath.Join(r.GitDir, "config.worktree"), own)
	if own["core.worktree"] != "" {
		at = "--worktree "
	}
	// Without a worktree named, git stops before it would change its configuration.
	return unusable(found, fmt.Sprintf("core.worktree names %q, which is not a folder", named), "git --work-tree=. config "+at+"--unset core.worktree")
}

// readGitFile follows the one line "gitdir: PATH" that stands for a git folder
// in linked worktrees, submodules and after --separate-git-dir; top is the folder whose
// git folder that is.
func readGitFile(file, top string) (string, error) {
	data, err := ReadSmall(file)
	if err != nil {
		return "", unusable(top, "the file .git cannot be read", "")
	}
	target, ok := bytes.CutPrefix(data, []byte("gitdir: "))
	if !ok {
		return "", unusable(top, "the file .git does not say where its git folder is (in a linked worktree, mended from the main one)", repair(top))
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
	return "", leadsNowhere(top, p)
}

// repair is the command that mends a linked worktree whose repository was moved.
func repair(top string) string { return "git worktree repair " + shell.Quote(top) }

// leadsNowhere says of a .git file whose git folder is not there what it may be, and what
// mends it: a linked worktree's is below that of its repository, which was moved, or which
// pruned the worktree.
func leadsNowhere(top, gd string) error {
	common := filepath.Dir(filepath.Dir(gd))
	_, there := isGitDir(common)
	switch {
	case filepath.Base(filepath.Dir(gd)) != "worktrees":
		return unusable(top, fmt.Sprintf("the file .git points to %q, where there is no git folder", gd), "")
	case there:
		return unusable(top, fmt.Sprintf("the file .git points to %q, which git has pruned; add a new worktree and copy your files to it", gd),
			"git -C "+shell.Quote(common)+" worktree add "+shell.Quote(top+"-new"))
	}
	return unusable(top, fmt.Sprintf("the file .git points to %q, where there is no git folder; if the repository was moved, repair the link from its main worktree", gd), repair(top))
}
