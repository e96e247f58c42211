package gitops

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// atWorkLook is how often a git that is at work is looked at again.
const atWorkLook = 20 * time.Millisecond

// HandsOff reports whether the reason is one against touching files at all, and
// not against committing alone.
func HandsOff(why string) bool { return why == WhyInside || why == WhyAtWork }

// AtWork returns why neither files nor refs may be touched now, "" where they may: this
// process stands below a git of the repository (WhyInside), or a rebase or its like runs
// in this worktree, or a git that holds its index for long (WhyAtWork). Such a git has
// noted what HEAD and the files are: it fails where they are not that any more, or writes
// over them. One that has stopped for the person has ended.
func (r *Repo) AtWork(ctx context.Context) string {
	switch {
	case r.insideGit(ctx):
		return WhyInside
	case r.gitAtWork(ctx):
		return WhyAtWork
	}
	return ""
}

// AwaitGit waits until no git is at work in this worktree, for so long at most. One
// that this process stands below would never end: then it does not wait.
func (r *Repo) AwaitGit(ctx context.Context, patience time.Duration) {
	r.AwaitLock(ctx)
	for end := time.Now().Add(patience); r.AtWork(ctx) == WhyAtWork && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(atWorkLook)
	}
}

// insideGit reports whether a git of the repository waits for this process.
func (r *Repo) insideGit(ctx context.Context) bool {
	for _, p := range gitAncestors(ctx) {
		if holdsOn(p.args) && r.isOf(p.folder) {
			return true
		}
	}
	return false
}

// isOf reports whether a git in the folder is one of this repository, in any of
// its worktrees.
func (r *Repo) isOf(folder string) bool {
	if r.isTopOf(folder) || folder == r.CommonDir {
		return true
	}
	if !r.pinned && os.Getenv("GIT_DIR") != "" {
		return true // git told its hook so, and may itself be anywhere
	}
	top, name := filepath.Split(r.CommonDir)
	return name == ".git" && isTop(folder, filepath.Clean(top)) || slices.ContainsFunc(r.linkedWorktrees(), func(top string) bool { return isTop(folder, top) })
}

// holdsOn reports whether the command goes on with the repository when what it
// started has ended. An alias does not, nor do those that only show, or start others.
func holdsOn(args []string) bool {
	switch name := gitCommand(args); name {
	case "commit", "merge":
		return true
	default:
		return slices.Contains(otherCommands(), name) && !slices.Contains(idleCommands(), name)
	}
}

// idleCommands are those of git that have nothing of their own under way.
func idleCommands() []string {
	return strings.Fields(`blame config credential credential-cache--daemon daemon describe diff diff-files diff-index diff-tree
		difftool for-each-repo format-patch fsmonitor--daemon grep gui help hook http-backend instaweb log ls-files ls-remote
		mergetool range-diff reflog rev-list rev-parse shortlog show submodule submodule--helper var version`)
}

// SetHooksPath tells what the settings of all levels say of core.hooksPath; without
// it the repository's own file counts alone.
func (r *Repo) SetHooksPath(value string) { r.hooksPath = value }

// hasHook reports whether git finds one of the hooks.
func (r *Repo) hasHook(names ...string) bool {
	folder := r.hooksFolder()
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	})
}

// hooksFolder is where git looks for the worktree's hooks.
func (r *Repo) hooksFolder() string {
	path := cmp.Or(r.hooksPath, r.fileConfig()["core.hookspath"])
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, below)
		}
	}
	switch {
	case path == "":
		return filepath.Join(r.CommonDir, "hooks")
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(r.Root, path)
}
