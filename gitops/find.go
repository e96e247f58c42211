package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// Find walks up from dir (and heeds GIT_DIR, GIT_WORK_TREE and
// GIT_CEILING_DIRECTORIES, as git does). It starts no process and does not
// check who owns the repository: git does, at the first command. Errors:
// ErrNotARepository; fault.BareRepository; fault.Unusable where git itself would stop.
func Find(dir string) (*Repo, error) {
	if gd := os.Getenv("GIT_DIR"); gd != "" {
		return fromEnvironment(dir, gd)
	}
	return find(dir, os.Getenv("GIT_WORK_TREE"))
}

// Open is Find for a folder that was named, such as a store of our own: what
// GIT_DIR and its like say (git sets them in hooks) belongs to another
// repository, and is neither heeded nor handed to git.
func Open(dir string) (*Repo, error) {
	r, err := find(dir, "")
	if err != nil {
		return nil, err
	}
	r.pinned = true
	return r, nil
}

// fromEnvironment follows GIT_DIR: no walk, and without another word the
// folder itself is the root.
func fromEnvironment(dir, gitDir string) (*Repo, error) {
	gd, err := realPath(gitDir)
	if err != nil {
		return nil, ErrNotARepository
	}
	if fi, err := os.Stat(gd); err == nil && fi.Mode().IsRegular() {
		if gd, err = readGitFile(gd, dir); err != nil {
			return nil, err
		}
	}
	common, ok := isGitDir(gd)
	if !ok {
		return nil, ErrNotARepository
	}
	return newRepo(dir, gd, common, os.Getenv("GIT_WORK_TREE"))
}

func find(dir, workTree string) (*Repo, error) {
	start, err := realPath(dir)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	stop := ceiling(start)
	for at := start; ; {
		gd, err := gitDirIn(at)
		if err != nil {
			return nil, err
		}
		if gd != "" {
			common, _ := isGitDir(gd)
			return newRepo(at, gd, common, workTree)
		}
		if _, ok := isGitDir(at); ok {
			return insideGitDir(at, workTree)
		}
		up := filepath.Dir(at)
		if up == at || up == stop {
			return nil, ErrNotARepository
		}
		at = up
	}
}

// insideGitDir: the walk met a git folder from within. Only GIT_WORK_TREE can
// give it a worktree then.
func insideGitDir(gd, workTree string) (*Repo, error) {
	if workTree == "" {
		return nil, fault.New(fault.BareRepository, gd, "a bare repository, without a worktree")
	}
	common, _ := isGitDir(gd)
	return newRepo(gd, gd, common, workTree)
}

// newRepo settles the root: GIT_WORK_TREE, else core.worktree, else where the
// git folder was found.
func newRepo(found, gd, common, workTree string) (*Repo, error) {
	r := &Repo{GitDir: gd, CommonDir: common}
	root, named := found, workTree
	if workTree == "" {
		place := r.placeConfig()
		switch named = place["core.worktree"]; {
		case named != "" && !filepath.IsAbs(named):
			named = filepath.Join(gd, named)
		case named == "" && IsTrue(place["core.bare"]):
			return nil, r.bare(found)
		}
	}
	if named != "" {
		root = named
	}
	top, err := realPath(root)
	if named != "" && (err != nil || !isDir(top)) {
		return nil, r.noWorktree(found, named, workTree != "")
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", root, err)
	}
	r.Root = top
	return r, nil
}

// gitDirIn gives the git folder that dir/.git stands for, "" where there is
// none. A .git folder that is no git folder does not end git's walk; a .git
// file that leads nowhere does.
func gitDirIn(dir string) (string, error) {
	dot := filepath.Join(dir, ".git")
	fi, err := os.Stat(dot)
	if err != nil {
		return "", nil
	}
	if fi.Mode().IsRegular() {
		return readGitFile(dot, dir)
	}
	if !fi.IsDir() {
		return "", nil
	}
	gd, err := realPath(dot)
	if err != nil {
		return "", nil
	}
	if _, ok := isGitDir(gd); !ok {
		return "", nil
	}
	return gd, nil
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

// ceiling gives the nearest folder above start that GIT_CEILING_DIRECTORIES
// keeps git from entering, "" where there is none. Entries after an empty one
// are taken as they stand: they may be on a slow network.
func ceiling(start string) string {
	best, resolve := "", true
	for _, c := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		if c == "" {
			resolve = false
			continue
		}
		if !filepath.IsAbs(c) {
			continue
		}
		c = filepath.Clean(c)
		if resolve {
			if real, err := filepath.EvalSymlinks(c); err == nil {
				c = real
			}
		}
		rel, err := filepath.Rel(c, start)
		above := err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
		if above && len(c) > len(best) {
			best = c
		}
	}
	return best
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
func ReadSmall(p string) ([]byte, error) {
	fi, err := os.Stat(p)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > 1<<20 {
		return nil, fmt.Errorf("%q: no control file of git", p)
	}
	return os.ReadFile(p)
}

// HasWorktree reports whether the repository has the worktree that WorktreeName calls
// so. One whose folder is away is not gone while it is locked.
func (r *Repo) HasWorktree(name string) bool {
	if name == "." {
		return true
	}
	top, err := r.worktreeLink(name)
	if err != nil {
		return false
	}
	_, lost := os.Stat(top)
	_, free := os.Stat(filepath.Join(r.CommonDir, "worktrees", name, "locked"))
	return lost == nil || free == nil
}

// worktreeLink is the file that leads from a linked worktree to its git folder.
func (r *Repo) worktreeLink(name string) (string, error) {
	at := filepath.Join(r.CommonDir, "worktrees", name)
	link, err := os.ReadFile(filepath.Join(at, "gitdir"))
	top := strings.TrimSpace(string(link))
	if err == nil && !filepath.IsAbs(top) { // worktree.useRelativePaths
		top = filepath.Join(at, top)
	}
	return top, err
}

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

// WorktreePath is the folder of the worktree that WorktreeName calls so, there or not; ""
// where there is none. Errors: fault.Blocked; *Error.
func (r *Repo) WorktreePath(ctx context.Context, name string) (string, error) {
	if name != "." {
		top, err := r.worktreeLink(name)
		if err != nil {
			return "", nil
		}
		return filepath.Dir(top), nil
	}
	trees, err := r.Worktrees(ctx)
	if err != nil || len(trees) == 0 {
		return "", err
	}
	return trees[0].Path, nil
}
