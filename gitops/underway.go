package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// process is a git that runs on this machine, not one that we started.
type process struct {
	id     string
	args   []string // as it was called; empty where that is hidden
	folder string   // the folder that it runs in, "" where that is hidden
}

const (
	// commitPatience is how long a person's git is waited for that has begun a
	// commit: without an editor, or hooks that take their time, it takes less.
	commitPatience = 250 * time.Millisecond
	commitLook     = 10 * time.Millisecond
)

// commitUnderWay reports whether a person's git in this worktree has begun a
// commit that leaves no mark in the git folder yet: an editor is open for its
// message, a hook runs, a key's passphrase is asked for. Git noted which commit
// HEAD is at when it began, holds no lock, and fails in the end where HEAD has
// moved. One that is over in a moment is waited for.
func (r *Repo) commitUnderWay(ctx context.Context) bool {
	if !r.mayCommitLong() {
		return false
	}
	first := r.commitsUnderWay(ctx)
	for end := time.Now().Add(commitPatience); len(first) > 0; {
		if time.Now().After(end) || ctx.Err() != nil {
			return true
		}
		time.Sleep(commitLook)
		// Where one follows upon the other, each is over in a moment.
		now := r.commitsUnderWay(ctx)
		first = slices.DeleteFunc(first, func(id string) bool { return !slices.Contains(now, id) })
	}
	return false
}

// mayCommitLong is a look at two or three files that spares most writes the look
// at all processes: a commit takes its time where hooks run, or has left its
// message, which is then younger than the last move of HEAD.
func (r *Repo) mayCommitLong() bool {
	if r.headStood(draftFile) {
		return true
	}
	return r.hasHook("pre-commit", "prepare-commit-msg", "commit-msg", "pre-merge-commit", "post-index-change", "reference-transaction")
}

// commitsUnderWay lists the processes that commit in this worktree.
func (r *Repo) commitsUnderWay(ctx context.Context) (ids []string) {
	gits, err := gitProcesses(ctx)
	if err != nil {
		return nil
	}
	for _, p := range gits {
		if movesHead(p.args) && r.isTopOf(p.folder) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// isTopOf reports whether the folder is of this worktree, and not of one inside it.
func (r *Repo) isTopOf(folder string) bool {
	if folder == "" {
		return true // nobody knows
	}
	if folder == r.GitDir || strings.HasPrefix(folder, r.GitDir+string(filepath.Separator)) {
		return true
	}
	return isTop(folder, r.Root)
}

// isTop reports whether the folder is of the worktree at root, and not of one inside it.
func isTop(folder, root string) bool {
	for ; len(folder) >= len(root); folder = filepath.Dir(folder) {
		if folder == root {
			return true
		}
		if _, err := os.Lstat(filepath.Join(folder, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return false
}

// movesHead reports whether the command is one of those that move HEAD to a
// commit which they prepare for long; others leave a mark, or start one of
// these. A name that is none of git's own may be an alias.
func movesHead(args []string) bool {
	switch name := gitCommand(args); name {
	case "commit", "merge", "citool":
		return true
	default:
		return name != "" && !slices.Contains(otherCommands(), name)
	}
}

// otherCommands are those of git that may run for long and prepare no commit.
func otherCommands() []string {
	return strings.Fields(`add am apply archive bisect bisect--helper blame branch bundle cat-file check-ignore checkout cherry-pick clean clone config
		count-objects credential credential-cache--daemon daemon describe diff diff-files diff-index diff-tree difftool fast-export
		fast-import fetch fetch-pack filter-branch for-each-repo format-patch fsck fsmonitor--daemon gc gitk grep gui hash-object help hook
		http-backend index-pack init instaweb lfs log ls-files ls-remote ls-tree maintenance merge-base merge-tree mergetool
		multi-pack-index mv name-rev notes p4 pack-objects pack-refs prune pull push range-diff read-tree rebase receive-pack reflog
		remote remote-http remote-https repack replace replay reset restore rev-list rev-parse revert rm send-pack shortlog show
		show-branch show-ref sparse-checkout stash status submodule submodule--helper svn switch symbolic-ref tag unpack-objects
		update-index update-ref upload-pack var verify-commit verify-pack version worktree write-tree`)
}

// gitCommand is the name of the command among git's arguments, "" where there is none.
func gitCommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if name, ok := strings.CutPrefix(base, "git-"); ok {
		return name
	}
	for i := 1; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix", "--attr-source", "--list-cmds"}, args[i]):
			i++ // its value follows
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// gitRuns reports whether a git that we did not start runs in the repository;
// one that cannot be looked at counts.
func (r *Repo) gitRuns(ctx context.Context) bool {
	gits, err := gitProcesses(ctx)
	return err != nil || slices.ContainsFunc(gits, r.isHere)
}

// isHere reports whether the process runs in one of the repository's worktrees,
// or in its git folder. Git's daemons hold no lock of it.
func (r *Repo) isHere(p process) bool {
	switch gitCommand(p.args) {
	case "fsmonitor--daemon", "credential-cache--daemon", "daemon":
		return false
	}
	if p.folder == "" {
		return true
	}
	own := append([]string{r.Root, r.GitDir, r.CommonDir}, r.linkedWorktrees()...)
	if top, name := filepath.Split(r.CommonDir); name == ".git" {
		own = append(own, filepath.Clean(top)) // the main worktree
	}
	within := func(folder string) bool {
		return slices.ContainsFunc(own, func(dir string) bool {
			return folder == dir || strings.HasPrefix(folder, dir+string(filepath.Separator))
		})
	}
	if within(p.folder) {
		return true
	}
	reached, known := p.reaches()
	return !known || slices.ContainsFunc(reached, within)
}

// namedFolders are what git's arguments and environment name as the repository and its
// worktree. A relative one is taken from where the process stands, and from where it was
// started: git goes to the top of the worktree.
func namedFolders(args, environment []string, folder string) (list []string) {
	var named, begun []string
	for i, arg := range args {
		for _, option := range []string{"--git-dir", "--work-tree", "-C"} {
			switch value, ok := strings.CutPrefix(arg, option+"="); {
			case ok:
				named = append(named, value)
			case arg == option && i+1 < len(args):
				named = append(named, args[i+1])
			}
		}
	}
	for _, line := range environment {
		switch name, value, _ := strings.Cut(line, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY":
			named = append(named, value)
		case "PWD":
			begun = append(begun, value)
		}
	}
	for _, name := range named {
		for _, from := range append(begun, folder) {
			at := name
			if !filepath.IsAbs(name) {
				at = filepath.Join(from, name)
			}
			if real, err := realPath(at); err == nil {
				at = real
			}
			list = append(list, at)
		}
	}
	return list
}

// linkedWorktrees are the folders of the repository's linked worktrees.
func (r *Repo) linkedWorktrees() (tops []string) {
	names := safefile.Glob(r.CommonDir, "worktrees/*/gitdir")
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			tops = append(tops, filepath.Dir(strings.TrimSpace(string(data))))
		}
	}
	return tops
}
