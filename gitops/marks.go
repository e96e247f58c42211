package gitops

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

const (
	// lockUnseen is how long a lock counts as held where the system does not tell
	// which processes run.
	lockUnseen = time.Minute
	// lockLook is how often a lock is looked at again that has just been made.
	lockLook = 10 * time.Millisecond
)

// gitAtWork reports whether a git of somebody else's is at work in this worktree:
// one of those that its marks are of, and a process.
func (r *Repo) gitAtWork(ctx context.Context) bool {
	if r.pruning(ctx) {
		return true
	}
	names, locked := r.markedCommands(), r.heldFor() > lockSettles
	if locked {
		names = append(names, lockingCommands()...)
	}
	if len(names) == 0 {
		return false
	}
	gits, err := gitProcesses(ctx)
	if err != nil {
		return locked && r.heldFor() < lockUnseen
	}
	return slices.ContainsFunc(gits, func(p process) bool {
		return slices.Contains(names, gitCommand(p.args)) && r.isTopOf(p.folder)
	})
}

// markedCommands are those of git that have left a mark of being at work. A few
// looks at names spare most writes the look at all processes.
func (r *Repo) markedCommands() (names []string) {
	if r.sequenceBegun() {
		names = append(names, "rebase", "cherry-pick", "revert", "am", "bisect", "bisect--helper")
	}
	if r.headStood("FETCH_HEAD") { // what it merges then is what HEAD was
		names = append(names, "pull")
	}
	if exists(filepath.Join(r.Root, ".git-rewrite")) {
		names = append(names, "filter-branch")
	}
	if list := safefile.Glob(r.GitDir, "index.stash.*"); len(list) > 0 {
		names = append(names, "stash")
	}
	return names
}

// headStood reports whether HEAD has not moved since the file in the git folder was
// written last.
func (r *Repo) headStood(file string) bool {
	written, err := os.Stat(filepath.Join(r.GitDir, file))
	if err != nil {
		return false
	}
	moved, err := os.Stat(filepath.Join(r.GitDir, "logs", "HEAD"))
	return err != nil || written.ModTime().After(moved.ModTime())
}

// sequenceBegun reports whether there are the marks of a rebase, cherry-pick, revert,
// am or bisect, or of hooks that may take their time before a rebase leaves one.
func (r *Repo) sequenceBegun() bool {
	switch r.operation() {
	case "rebase", "cherry-pick", "revert", "am", "bisect":
		return true
	}
	return r.hasHook("pre-rebase", "post-index-change", "reference-transaction")
}

// lockingCommands are those of git that hold the index for as long as they change
// files, or read them. A commit changes none.
func lockingCommands() []string {
	return strings.Fields(`add am apply bisect bisect--helper checkout checkout-index cherry-pick clone filter-branch merge mv pull read-tree
		rebase reset restore revert rm sparse-checkout stash submodule submodule--helper switch update-index worktree`)
}

// worktreeLocks are the locks that a git holds while it changes the worktree.
func (r *Repo) worktreeLocks() [2]string {
	return [2]string{filepath.Join(r.GitDir, "index.lock"), filepath.Join(r.GitDir, "HEAD.lock")}
}

// heldFor is the age of the older of the worktree's locks, 0 where there is none.
func (r *Repo) heldFor() (age time.Duration) {
	for _, made := range r.locksNow() {
		if !made.IsZero() {
			age = max(age, time.Since(made))
		}
	}
	return age
}

// AwaitLock waits while one and the same git holds a lock of the worktree, until that
// has stood for so long that AtWork tells whether its git runs. Most are gone in a moment.
func (r *Repo) AwaitLock(ctx context.Context) {
	first := r.locksNow()
	if first == (locksSeen{}) || r.insideGit(ctx) {
		return
	}
	for end := time.Now().Add(lockSettles); first == r.locksNow() && r.heldFor() <= lockSettles && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(lockLook)
	}
}

// locksSeen tells one lock of the worktree from the next: when each was made.
type locksSeen [2]time.Time

func (r *Repo) locksNow() (seen locksSeen) {
	for i, name := range r.worktreeLocks() {
		if info, err := os.Lstat(name); err == nil {
			seen[i] = info.ModTime()
		}
	}
	return seen
}

// pruning reports whether a git gc of the repository runs that deletes at once what no ref
// leads to: such a one deletes the objects of a commit, and of a journal entry, that is
// being made. A gc with git's own two weeks of grace harms nothing.
func (r *Repo) pruning(ctx context.Context) bool {
	if !exists(filepath.Join(r.CommonDir, "gc.pid")) {
		return false
	}
	gits, err := gitProcesses(ctx)
	return err == nil && slices.ContainsFunc(gits, func(p process) bool { return prunesNow(p.args) && r.isHere(p) })
}

// prunesNow reports whether the command deletes without grace what no ref leads to.
func prunesNow(args []string) bool {
	line := " " + strings.Join(args, " ") + " "
	now := slices.ContainsFunc([]string{"--prune=now ", "--prune=all ", "--expire now ", "--expire=now ", "--expire all ", "--expire=all "}, func(option string) bool {
		return strings.Contains(line, " "+option)
	})
	switch gitCommand(args) {
	case "gc":
		return now
	case "prune":
		return now || !strings.Contains(line, " --expire")
	}
	return false
}
