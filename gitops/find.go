package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
)

// Find returns the repository that git finds from dir. An ordinary one is found by its files, without
// starting a process; git is asked where a variable or a setting says otherwise. Who owns the repository
// git checks at the first command. Errors: ErrNotARepository; fault.BareRepository; fault.RepositoryUnusable where
// git itself would stop.
func Find(dir string) (*Repo, error) { return find(dir, &Repo{}) }

// Open is Find for a folder that was named, such as a store of our own: what
// GIT_DIR and its like say (git sets them in hooks) belongs to another
// repository, and is neither heeded nor handed to git.
func Open(dir string) (*Repo, error) { return find(dir, &Repo{pinned: true}) }

func find(dir string, r *Repo) (*Repo, error) {
	start, err := realPath(dir)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	r.Root = start // where git runs
	if !r.pinned {
		for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"} {
			if os.Getenv(name) != "" {
				return r.foundByGit(name)
			}
		}
	}
	for at := start; ; at = filepath.Dir(at) {
		dot := filepath.Join(at, ".git")
		info, err := os.Lstat(dot)
		isFile := false
		if r.GitDir = dot; err == nil && !info.IsDir() { // the folder itself was reached without a link
			if info, err = os.Stat(dot); err == nil && info.Mode().IsRegular() {
				r.GitDir, isFile = linkedGitDir(dot), true
			}
			if gd, err := realPath(r.GitDir); err == nil {
				r.GitDir = gd
			}
		}
		common, ok := isGitDir(r.GitDir)
		switch {
		case ok:
			r.CommonDir = common
			if r.hasOrdinaryWorktree(at) {
				r.Root = at
				return r, nil
			}
			return r.confirmed(at)
		case isFile: // git's walk ends there too
			return r.confirmed(at)
		}
		if _, inside := isGitDir(at); inside {
			return nil, fault.New(fault.BareRepository, at, "a bare repository, without a worktree")
		}
		if filepath.Dir(at) == at {
			return nil, ErrNotARepository
		}
	}
}

// linkedGitDir is where a file .git says that the git folder is, as in linked worktrees and submodules;
// the file itself where it does not say so.
func linkedGitDir(file string) string {
	data, _ := ReadSmall(file)
	target, ok := bytes.CutPrefix(data, []byte("gitdir: "))
	if !ok {
		return file
	}
	gd := strings.TrimRight(string(target), "\r\n")
	if !filepath.IsAbs(gd) {
		gd = filepath.Join(filepath.Dir(file), gd)
	}
	return gd
}

// hasOrdinaryWorktree reports whether the worktree is surely the folder in which .git was found.
func (r *Repo) hasOrdinaryWorktree(at string) bool {
	cfg := r.FileConfig()
	if r.GitDir != r.CommonDir && !IsTrue(cfg["extensions.worktreeconfig"]) {
		return true // a linked worktree, which the shared file does not move
	}
	tree := cfg["core.worktree"]
	if tree != "" && !filepath.IsAbs(tree) {
		tree = filepath.Join(r.GitDir, tree)
	}
	return (tree == "" || filepath.Clean(tree) == at) && !IsTrue(cfg["core.bare"]) // a submodule's leads to it
}

// foundByGit is the repository that git finds from r.Root. The variable is why git is asked.
func (r *Repo) foundByGit(variable string) (*Repo, error) {
	err := r.locateFolders()
	switch {
	case err == nil:
		return r, nil
	case BlockedBy(err) != "":
		return nil, err
	case variable != "GIT_WORK_TREE":
		return nil, ErrNotARepository
	}
	return nil, unusable(r.Root, variable+" is set, and "+err.Error(), "unset "+variable)
}

// confirmed is the repository as git finds it, or why git cannot use what was found in the folder.
func (r *Repo) confirmed(at string) (*Repo, error) {
	err := r.locateFolders()
	if err == nil {
		return r, nil
	}
	var cfg map[string]string
	if r.CommonDir != "" {
		cfg = r.FileConfig()
	}
	if IsTrue(cfg["core.bare"]) {
		if !Exists(filepath.Join(at, "memories.md")) {
			return nil, fault.New(fault.BareRepository, r.GitDir, "a bare repository, without a worktree")
		}
		own := ""
		if IsTrue(cfg["extensions.worktreeconfig"]) {
			own = "--worktree "
		}
		return nil, unusable(at, "core.bare says that it has no worktree, and it has one", "git config "+own+"core.bare false")
	}
	return nil, unusable(at, err.Error(), "")
}

// locateFolders sets the repository's folders as git finds them from r.Root.
func (r *Repo) locateFolders() error {
	out, err := r.Git(context.Background(), Call{Args: []string{"rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"}})
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if err != nil || len(lines) != 3 {
		return cmp.Or(PublicError(err), ErrNotARepository)
	}
	common := lines[2]
	if !filepath.IsAbs(common) {
		common = filepath.Join(r.Root, common)
	}
	for i, path := range []string{lines[0], lines[1], common} {
		if lines[i], err = realPath(path); err != nil {
			return err
		}
	}
	r.Root, r.GitDir, r.CommonDir = lines[0], lines[1], lines[2]
	r.ownConfig.forget()
	return nil
}

// isGitDir applies git's own test (HEAD, objects, refs) and gives the common folder.
func isGitDir(dir string) (common string, ok bool) {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return "", false
	}
	common = dir
	if data, err := ReadSmall(filepath.Join(dir, "commondir")); err == nil {
		p := strings.TrimRight(string(data), "\r\n")
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		if common, err = realPath(p); err != nil {
			return "", false
		}
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return "", false
	}
	return common, isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func realPath(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func isDir(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.IsDir()
}

// ReadSmall reads one of git's little control files. Larger ones are not what
// they seem, and a named pipe in their place must not block.
func ReadSmall(p string) ([]byte, error) { return safefile.ReadRegularFile(p, 1<<20) }

// WorktreeName tells the repository's worktrees apart: git's own name of a linked
// one, which it keeps when it is moved, and "." for the main one.
func (r *Repo) WorktreeName() string {
	if r.GitDir == r.CommonDir {
		return "."
	}
	return filepath.Base(r.GitDir)
}

// Exists reports whether there is anything at the path; links are not followed.
func Exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Worktree is one worktree of the repository.
type Worktree struct {
	Path   string
	Head   string // the commit, "" where unborn
	Branch string // the full name of the ref, "" where detached
}

// Worktrees lists the worktrees, the main one first. Errors: fault.Blocked; *Error.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Git(ctx, Call{Args: []string{"worktree", "list", "--porcelain"}})
	if err != nil {
		return nil, PublicError(err)
	}
	var list []Worktree
	for block := range strings.SplitSeq(string(out), "\n\n") {
		var w Worktree
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
			switch name {
			case "worktree":
				w.Path = value
			case "HEAD":
				if strings.Trim(value, "0") != "" {
					w.Head = value
				}
			case "branch":
				w.Branch = value
			}
		}
		if w.Path != "" {
			if len(list) == 0 && r.GitDir == r.CommonDir && r.Root != "" && !Exists(filepath.Join(w.Path, ".git")) {
				w.Path = r.Root // git names the git folder where that stands elsewhere
			}
			list = append(list, w)
		}
	}
	return list, nil
}

// unusable is the error of a folder, the worktree's top, with a git folder that git cannot
// work with. mend is the command that mends it, "" where none is known.
func unusable(top, what, mend string) *fault.Error {
	return &fault.Error{Code: fault.RepositoryUnusable, Thing: top, Cause: "git cannot use the repository: " + what, RestoreCommand: mend}
}

// Refused is fault.RepositoryUnusable where git refuses to work in the repository, because it
// belongs to another user and safe.directory does not name it; nil where git works there,
// or does not answer. Git is asked only about a repository of another user.
func (r *Repo) Refused(ctx context.Context) error {
	if runtime.GOOS == "windows" || IsOwn(r) {
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
			e.RestoreCommand = line
		}
	}
	return e
}
