package gitops

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/shell"
)

// Unshallow is the one command where a clone has to be made whole first, and
// the history rewritten then.
const Unshallow = "git fetch --unshallow"

// Collect is the command that deletes what nothing leads to, in a Handover the last.
func Collect() string { return "git " + strings.Join(collectAll(), " ") }

// Remains is what of the old history is held beside refs.
type Remains struct {
	Objects map[string]bool // those that hold the text
	Files   map[string]bool // files of the git folder that hold it, as EachOwnFile names them
}

// Handover is what a person does in the place of Swap and Sweep.
type Handover struct {
	// Commands do it, each where all before it ended well.
	Commands []string
	// First are those that come before: the history is rewritten after them.
	First []string
	// Why says what First is for.
	Why string
	// Ahead push what a branch has beside what Commands push over its remote's: that is
	// for a person to send, once those have run.
	Ahead []string
}

// Hand makes git's commands that do what Swap and Sweep do. Each names what it
// expects to find and fails where that moved, so that nothing is lost of what was
// done since; and what is staged stays so. What is known to be on a remote is pushed
// there. Of reflogs those entries go that lead to what is rewritten; the last command
// deletes what nothing leads to then. Errors: *BlockedError; *Error.
func (r *Repo) Hand(ctx context.Context, w *Rewritten, remains Remains) (Handover, error) {
	trees, err := r.Worktrees(ctx)
	if err != nil {
		return Handover{}, err
	}
	out, err := r.git(ctx, call{args: []string{"remote"}})
	if err != nil {
		return Handover{}, publicError(err)
	}
	remotes := strings.Fields(string(out))
	moves, pushes := w.moving(trees, remotes)
	h := Handover{Ahead: r.ahead(ctx, w, remotes)}
	h.First, h.Why = r.beforehand(trees)
	if len(h.First) == 0 && len(w.Shallow) > 0 && len(pushes) > 0 {
		h.First = []string{Unshallow} // git pushes no rewritten history out of a shallow clone
	}
	if len(h.First) == 0 {
		if h.First, h.Why, err = r.unstaging(ctx, trees, remains.Objects); err != nil {
			return h, err
		}
	}
	for _, id := range w.Shallow {
		h.Commands = append(h.Commands, `echo `+id+` >> "$(git rev-parse --git-path shallow)"`)
	}
	h.Commands = slices.Concat(h.Commands, moves, pushes, r.dropOrigHeads(w, trees))
	for _, name := range slices.Sorted(maps.Keys(remains.Files)) {
		if slices.Contains(passing(), path.Base(name)) {
			h.Commands = append(h.Commands, "rm -f "+shell.Quote(filepath.Join(r.CommonDir, filepath.FromSlash(name))))
		}
	}
	logs, err := r.expiring(ctx, w, remains, trees)
	if err != nil {
		return h, err
	}
	resolved, err := r.forgetResolved(ctx, trees, remains.Objects)
	h.Commands = append(slices.Concat(h.Commands, logs, resolved), Collect())
	return h, err
}

// moving are the commands that move refs and worktrees, and those that push. A
// branch whose files stay as they are moves alone, whatever is checked out by then.
// One whose files change moves as HEAD of its worktree: index and files first, and
// only where HEAD is what is expected; cut short there, it goes on from there.
func (w *Rewritten) moving(trees []Worktree, remotes []string) (moves, pushes []string) {
	for _, h := range w.Heads {
		moves = append(moves, h.inWorktree(h.Name)...)
	}
	for _, ref := range w.Refs {
		roots := checkedOut(trees, ref.Name)
		remote, branch := remoteOf(ref.Name, remotes)
		switch {
		case len(roots) > 0 && ref.Files:
			for _, root := range roots[1:] { // the branch moves once: files of the others before
				moves = append(moves, ref.readTree(root)...)
			}
			moves = append(append(moves, ref.inWorktree(roots[0])...),
				"git update-ref "+shell.Quote(ref.Name)+" "+ref.New+" "+ref.New) // fails where HEAD was another branch
		case remote != "":
			pushes = append(pushes, "git "+pushOver(remote, branch, ref.Old, ref.New))
		case ref.NewName != "":
			moves = append(moves, "git update-ref "+ref.NewName+" "+ref.New, "git update-ref -d "+ref.Name+" "+ref.Old)
		default:
			moves = append(moves, "git update-ref "+shell.Quote(ref.Name)+" "+ref.New+" "+ref.Old)
		}
	}
	return moves, pushes
}

// ahead are the commands that push the branches with commits that the remote's branch
// of their name, which is pushed over, does not have.
func (r *Repo) ahead(ctx context.Context, w *Rewritten, remotes []string) (list []string) {
	for _, theirs := range w.Refs {
		remote, branch := remoteOf(theirs.Name, remotes)
		for _, ours := range w.Refs {
			if remote != "" && ours.Name == "refs/heads/"+branch && !r.IsAncestor(ctx, ours.Old, theirs.Old) {
				list = append(list, "git push "+shell.Quote(remote)+" "+shell.Quote(branch))
			}
		}
	}
	return list
}

// inWorktree are the commands that move HEAD of a worktree, with its files where those
// change: as a checkout does it, they keep what is staged or edited, and stop where that
// is in the way.
func (ref RewrittenRef) inWorktree(root string) (list []string) {
	if ref.Files {
		list = ref.readTree(root)
	}
	return append(list, "git -C "+shell.Quote(root)+" update-ref HEAD "+ref.New+" "+ref.Old)
}

// readTree are the commands that change index and files of a worktree, where HEAD is
// what is expected.
func (ref RewrittenRef) readTree(root string) []string {
	in := "git -C " + shell.Quote(root) + " "
	return []string{
		in + "update-ref HEAD " + ref.Old + " " + ref.Old, // moves nothing: it fails where HEAD has moved
		in + "update-index -q --refresh",
		in + "read-tree -m -u " + ref.Old + " " + ref.New,
	}
}

// checkedOut are the worktrees that have a branch: more than one where a person forced it.
func checkedOut(trees []Worktree, branch string) (roots []string) {
	for _, t := range trees {
		if t.Branch == branch {
			roots = append(roots, t.Path)
		}
	}
	return roots
}

// dropOrigHeads are the commands that let go of ORIG_HEAD where it is a commit that is
// rewritten: it would name what is not there any more.
func (r *Repo) dropOrigHeads(w *Rewritten, trees []Worktree) (list []string) {
	for _, t := range trees {
		data, err := readSmall(filepath.Join(r.gitDirOf(t.Path), "ORIG_HEAD"))
		if id := strings.TrimSpace(string(data)); err == nil && w.Commits[id] != "" {
			list = append(list, "git -C "+shell.Quote(t.Path)+" update-ref -d ORIG_HEAD "+id)
		}
	}
	return list
}

// gitDirOf is the git folder of one of the repository's worktrees.
func (r *Repo) gitDirOf(root string) string {
	if name := r.worktreeName(root); name != "" {
		return filepath.Join(r.CommonDir, "worktrees", name)
	}
	return r.CommonDir
}

// beforehand are the commands without which others cannot run or do harm, and why: git
// learns where worktrees are, and what a person has begun there is ended, since it names
// commits that are rewritten.
func (r *Repo) beforehand(trees []Worktree) (list []string, why string) {
	for i, t := range trees {
		if i == 0 {
			continue // the main one, where .git may stand elsewhere
		}
		if list, why = r.astray(t); len(list) > 0 {
			return list, why
		}
	}
	for _, t := range trees {
		if op := (&Repo{GitDir: r.gitDirOf(t.Path)}).operation(); op != "" {
			return []string{"git -C " + shell.Quote(t.Path) + " status"}, "in " + t.Path + ", " + underWay(op) + ": end it or give it up first, git status says how"
		}
	}
	return nil, ""
}

// underWay says what a person has begun and not ended.
func underWay(operation string) string {
	if operation == "am" {
		return "a git am is under way"
	}
	return "a " + operation + " is under way"
}

// moves reports whether HEAD of a worktree moves.
func (w *Rewritten) moves(t Worktree) bool {
	return slices.ContainsFunc(w.Refs, func(ref RewrittenRef) bool { return ref.Name == t.Branch }) ||
		slices.ContainsFunc(w.Heads, func(h RewrittenRef) bool { return h.Name == t.Path })
}

// PushOver is the command that puts a commit in the place of the remote's
// branch, where that is still at the commit old.
func (r *Repo) PushOver(remote, branch, old, next string) string {
	return "git -C " + shell.Quote(r.Root) + " " + pushOver(remote, branch, old, next)
}

func pushOver(remote, branch, old, next string) string {
	return fmt.Sprintf("push --force-with-lease=%s:%s %s %s:refs/heads/%s", shell.Quote(branch), old, shell.Quote(remote), next, shell.Quote(branch))
}
