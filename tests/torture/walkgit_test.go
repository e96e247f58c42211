package torture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// person runs a command of git, and again while another git holds a lock.
func (w *walk) person(args ...string) bool {
	for try := 0; ; try++ {
		out, err := w.tryGit(w.cur, args...)
		if err != nil && strings.Contains(out, ".lock") && try < 50 {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		w.note("[%s] git %q: %v\n%s\n", filepath.Base(w.cur), args, err, out)
		return err == nil
	}
}

// freeAll asks nothing more of what was told: the person took commits away.
func (w *walk) freeAll() {
	for _, s := range slices.Concat(w.told, w.forgot) {
		s.free = true
	}
}

func (w *walk) edit() {
	name := w.own(w.IntN(5))
	content, err := os.ReadFile(name)
	if err != nil {
		return
	}
	lines := bytes.Split(content, []byte("\n"))
	i := w.IntN(len(lines))
	lines[i] = fmt.Appendf(lines[i], " edit %d", w.IntN(1000))
	w.must(os.WriteFile(name, bytes.Join(lines, []byte("\n")), 0o644))
	if w.IntN(10) < 4 {
		w.person("add", filepath.Base(name))
	}
}

func (w *walk) commit() {
	w.person(pick(w, []string{"commit", "-q", "-a", "-m", "work"}, []string{"commit", "-q", "-m", "staged work"},
		[]string{"commit", "-q", "-a", "--amend", "--no-edit"}, []string{"commit", "-q", "--allow-empty", "-m", "empty"})...)
}

func (w *walk) branch() string {
	return pick(w, strings.Fields(w.asked("for-each-ref", "--format=%(refname:short)", "refs/heads"))...)
}

func (w *walk) branchOff() {
	switch r := w.IntN(10); {
	case r < 3:
		w.person("switch", "-q", "-c", fmt.Sprintf("b%d", w.IntN(10000)))
	case r < 4:
		w.person("switch", "-q", "--detach", w.branch())
	default:
		w.person("switch", "-q", w.branch())
	}
}

// textMerged asks nothing more of what was forgotten where git has just merged text: a
// patch that takes a tombstone out applies to another one of the same day.
func (w *walk) textMerged() {
	for _, s := range w.forgot {
		s.free = s.free || w.text
	}
}

func (w *walk) merge() {
	defer w.textMerged()
	args := append([]string{"merge", "-q", "--no-edit"}, pick(w, nil, []string{"--no-ff"}, []string{"--squash"})...)
	w.person(append(args, w.branch())...)
	w.finishOperation()
	if w.IntN(2) == 0 {
		w.person("commit", "-q", "-m", "squashed")
	}
}

func (w *walk) rebase() {
	defer w.textMerged()
	w.person("rebase", "-q", w.branch())
	w.finishOperation()
}

func (w *walk) cherryPick() {
	defer w.textMerged()
	w.person("cherry-pick", w.branch())
	w.finishOperation()
}

func (w *walk) revert() {
	w.person("revert", "--no-edit", fmt.Sprintf("HEAD~%d", w.IntN(3)))
	w.finishOperation()
	w.freeAll()
}

func (w *walk) stash() {
	defer w.textMerged()
	w.person("stash", "-q")
	if w.IntN(10) < 6 {
		w.add()
	}
	if w.IntN(10) < 3 {
		w.branchOff()
	}
	w.person("stash", "pop", "-q")
	if len(w.unmerged()) > 0 {
		w.finishOperation()
		w.person("stash", "drop", "-q")
	}
}

func (w *walk) reset() {
	w.person("reset", "-q", pick(w, "--hard", "--soft", "--mixed", "--hard"), fmt.Sprintf("HEAD~%d", w.IntN(3)))
	w.freeAll()
}

// worktree adds one, goes to another, or removes one.
func (w *walk) worktree() {
	if len(w.worktrees) < 3 && w.IntN(2) == 0 {
		dir := filepath.Join(w.home, fmt.Sprintf("w%d", w.IntN(10000)))
		if w.person("worktree", "add", "-q", "-b", fmt.Sprintf("wb%d", w.IntN(10000)), dir) {
			w.worktrees = append(w.worktrees, dir)
		}
	}
	w.mu.Lock()
	w.cur = pick(w, w.worktrees...)
	w.mu.Unlock()
	if len(w.worktrees) == 1 || w.IntN(10) >= 2 {
		return
	}
	gone := pick(w, w.worktrees[1:]...)
	args := append([]string{"worktree", "remove"}, pick(w, nil, []string{"--force"})...)
	if gone != w.cur && w.person(append(args, gone)...) {
		w.worktrees = slices.DeleteFunc(w.worktrees, func(dir string) bool { return dir == gone })
	}
}

// gc packs, and drops at once what nothing refers to. With others at work it leaves young
// objects alone: git's manual warns that --prune=now takes what a commit is about to use.
func (w *walk) gc() {
	if w.beside {
		w.person("gc", "-q")
		return
	}
	w.person("gc", "-q", "--prune=now")
}

// byHand takes the memory file away for a while, or changes a value in it.
func (w *walk) byHand() {
	name := filepath.Join(w.cur, "memories.md")
	content, err := os.ReadFile(name)
	if err != nil {
		return
	}
	if w.IntN(10) < 6 {
		w.note("memories.md is away\n")
		w.must(os.Remove(name))
		for range w.IntN(3) {
			pick(w, w.add, w.readOrMend, w.undo, w.forget)()
		}
		w.person("checkout", "-q", "HEAD", "--", "memories.md")
		return
	}
	if before, after, ok := bytes.Cut(content, []byte(" tok")); ok {
		w.note("a value is changed by hand\n")
		w.must(os.WriteFile(name, slices.Concat(before, []byte(" hand tok"), after), 0o644))
	}
}

func (w *walk) unmerged() []string {
	return strings.Fields(w.asked("diff", "--name-only", "--diff-filter=U"))
}

// operation is what git has begun and not ended: "" is nothing.
func (w *walk) operation() string {
	for _, o := range [][2]string{{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}} {
		if exists(w.gitPath(o[0])) {
			return o[1]
		}
	}
	return ""
}

// finishOperation ends what git has begun, as a person does who has memory resolved and
// takes either side of their own files; memory is written to meanwhile.
func (w *walk) finishOperation() {
	for range 30 {
		op := w.operation()
		if op == "" && len(w.unmerged()) == 0 {
			return
		}
		for _, s := range []stepper{{"", 35, w.add}, {"", 15, w.readOrMend}, {"", 10, w.forget}} {
			if w.IntN(100) < s.weight {
				s.step()
			}
		}
		if op != "" && w.IntN(10) < 2 {
			w.abort(op)
			continue
		}
		w.settleFiles()
		w.proceed(op)
	}
	w.fault("what git began never ends")
	w.person("rebase", "--abort")
	w.person("merge", "--abort")
	w.person("reset", "-q", "--hard")
}

func (w *walk) abort(op string) {
	out, err := w.tryGit(w.cur, op, "--abort")
	if err != nil && w.beside && strings.Contains(out, "Untracked working tree file 'memories/") {
		w.person("add", "memories") // git's own race for the index dropped a new file: memctl's note names this command
	}
	if err != nil && !w.person(op, "--abort") {
		w.fault("%s cannot be aborted: %s", op, out)
		w.person("reset", "-q", "--hard")
	}
	for _, s := range slices.Concat(w.told, w.forgot) {
		s.free = s.free || s.commit == ""
	}
}

func (w *walk) settleFiles() {
	for _, name := range w.unmerged() {
		if strings.HasPrefix(name, "memories") {
			w.settleMemory(name)
			continue
		}
		if !w.person("checkout", pick(w, "--ours", "--theirs"), "--", name) && !exists(filepath.Join(w.cur, name)) {
			w.person("rm", "-q", name)
		}
		w.person("add", "-A", name)
	}
}

func (w *walk) settleMemory(name string) {
	if !slices.Contains(w.unmerged(), name) {
		return // an earlier resolve did
	}
	a := w.act("resolve", "--add")
	w.checked["resolved"]++
	if slices.Contains(w.unmerged(), name) {
		w.fault("resolve left %s: status %d\n%s%s", name, a.status, a.out, a.talked)
		w.person("checkout", "--ours", name)
		w.person("add", name)
	}
}

func (w *walk) proceed(op string) {
	switch op {
	case "":
	case "rebase":
		if !w.person("rebase", "--continue") && len(w.unmerged()) == 0 {
			w.person("rebase", "--skip")
		}
	case "merge":
		if !w.person("commit", "-q", "--no-edit") {
			w.person("merge", "--abort")
		}
	default:
		if !w.person("commit", "-q", "--no-edit") {
			w.person(op, "--skip")
		}
	}
}
