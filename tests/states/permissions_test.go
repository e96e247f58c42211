package states

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// probing keeps two tests from probing at once.
var probing sync.Mutex

// permissions: whose it is, and who may write there.
func permissions() []row {
	return []row{
		{name: "somebody else's repository (dubious ownership)", want: refused(2, "dubious ownership"), needs: root,
			does: "reads your own scope alone; a write stops with status 2 and prints git's command for `safe.directory`", build: func(w *world) {
				w.afterWork = func() { w.must(chownAll(w.root, nobody)) }
			}, ends: func(w *world) {
				w.must(chownAll(w.root, 0))
				goOn(w)
			}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}},
		{name: "a repository that a group shares (`core.sharedRepository`)", want: committed(), init: []string{"--shared=group"}, also: func(w *world) {
			for _, file := range []string{"index", "logs/HEAD"} {
				if info, err := os.Stat(w.inGitDir(file)); err != nil || info.Mode()&0o060 != 0o060 {
					w.t.Errorf("%s: the group cannot write it: %v %v", file, info.Mode(), err)
				}
			}
		}},
		{name: "a `.git` that cannot be written (an agent's sandbox)", want: refused(2, "git-folder-not-writable"), needs: another,
			does: "reads; a write stops with status 2 and says where it can be made", build: func(w *world) { w.lockedUp(".git") },
			other: map[string]want{"undo": refused(1, "nothing-to-undo")}, ends: unlocked},
		{name: "a folder that cannot be written, with its `.git`", want: refused(2, "git-folder-not-writable"), needs: another,
			does: "reads; a write stops with status 2 and says where it can be made", build: func(w *world) { w.lockedUp(".") },
			other: map[string]want{"undo": refused(1, "nothing-to-undo")}, ends: unlocked},
		{name: "a folder that cannot be written, and a `.git` that can", want: refused(2, "permission denied"), needs: another,
			does: "reads; a write stops with status 2", build: func(w *world) {
				w.afterWork = func() {
					w.give(unprivileged())
					w.chmod(w.root, 0o555)
				}
			}, other: map[string]want{"undo": refused(1, "nothing-to-undo"), "recover": {kind: absent}}, ends: unlocked},
		{name: "`memories.md` with mode 0444", want: refused(2, "permission denied"), needs: another, does: "stops: somebody made it read-only on purpose", build: func(w *world) {
			w.afterWork = func() {
				w.give(unprivileged())
				w.chmod(filepath.Join(w.root, memory), 0o444)
			}
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo"), "recover": {kind: absent}}, ends: unlocked},
		{name: "a disk that is full", want: refused(2, "no space left"), needs: mounts, does: "stops with status 2; the file is as it was", build: func(w *world) {
			w.mount("size=8m")
			w.fill()
			w.afterWork = func() { fillUp(w) }
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}, ends: func(w *world) {
			makeRoom(w)
			goOn(w)
		}},
		{name: "a file system mounted read-only", want: refused(2, "git-folder-not-writable"), needs: mounts, does: "reads; a write stops with status 2 and says where it can be made", build: func(w *world) {
			w.mount("size=8m")
			w.fill()
			w.afterWork = func() { w.sh("mount", "-o", "remount,ro", w.root) }
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}, ends: func(w *world) {
			w.sh("mount", "-o", "remount,rw", w.root)
			goOn(w)
		}},
	}
}

// root is needed to give files away.
func root() string {
	if !isRoot() {
		return "needs root, to give a repository to another user"
	}
	return ""
}

// another user than root is needed for permissions to bind.
func another() string {
	if isRoot() {
		if err := (&world{dir: scratch, root: scratch, uid: nobody}).command("git", "version").Run(); err != nil {
			return "no other user: " + err.Error()
		}
	}
	return ""
}

// unprivileged is the user whom permissions bind: the tests' own, or nobody.
func unprivileged() int {
	if isRoot() {
		return nobody
	}
	return os.Geteuid()
}

// mounts are needed for a disk of a known size.
func mounts() string {
	if !isRoot() {
		return "needs root, to mount a small disk"
	}
	dir := filepath.Join(scratch, "probe-mount")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err.Error()
	}
	probing.Lock()
	defer probing.Unlock()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", dir).CombinedOutput(); err != nil {
		return "no mounts here: " + firstLine(string(out))
	}
	if err := exec.Command("umount", dir).Run(); err != nil {
		return err.Error()
	}
	return ""
}

// lockedUp takes from everybody the right to write a folder and all below it.
func (w *world) lockedUp(name string) {
	w.afterWork = func() {
		w.give(unprivileged())
		w.sh("chmod", "-R", "a-w", filepath.Join(w.root, name))
	}
}

// unlocked gives the right back, and the person goes on.
func unlocked(w *world) {
	w.sh("chmod", "-R", "u+w", w.root)
	goOn(w)
}

func chownAll(dir string, uid int) error {
	return exec.Command("chown", "-R", strconv.Itoa(uid), dir).Run()
}

// sh runs a command of the system, which must succeed.
func (w *world) sh(name string, args ...string) {
	w.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		w.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// mount puts a disk of its own under the person's repository.
func (w *world) mount(options string) {
	w.root = w.other("disk")
	w.mkdir(w.root)
	w.sh("mount", "-t", "tmpfs", "-o", options+",mode=755", "none", w.root)
	w.t.Cleanup(func() { _ = exec.Command("umount", "-l", w.root).Run() })
	w.git("init", "-q")
}

// fillUp leaves no room on the disk.
func fillUp(w *world) {
	f, err := os.Create(w.inGitDir("filler"))
	w.must(err)
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	w.must(f.Close())
}

// makeRoom empties what filled the disk before it removes it: a process that
// another test is just starting may hold the file open, and what is open keeps
// its room when it is removed.
func makeRoom(w *world) {
	filler := w.inGitDir("filler")
	w.must(os.Truncate(filler, 0))
	w.removeAt(filler)
}
