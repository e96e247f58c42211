package states

import (
	"path/filepath"
	"strings"
)

// files: what became of memories.md in the hands of others.
func files() []row {
	return append([]row{
		{name: "`memories.md` never committed", want: committed(), does: "commits it, as an edit of yours, before the act's own commit", build: func(w *world) { w.neverCommitted() }},
		{name: "`memories.md` ignored by `.gitignore`, never committed", want: committed(), does: "commits it all the same", build: func(w *world) {
			w.neverCommitted()
			w.write(".gitignore", "*.md\n")
		}, ends: firstCommit},
		{name: "`memories.md` ignored, and tracked", want: committed(), build: func(w *world) { w.write(".gitignore", "*.md\n") }},
		{name: "`memories.md` excluded in `info/exclude`", want: committed(), does: "commits it all the same", build: func(w *world) {
			w.neverCommitted()
			w.writeAt(w.inGitDir("info/exclude"), memory+"\n")
		}, ends: firstCommit},
		{name: "`memories.md` is executable", want: committed(), build: func(w *world) { w.chmod(filepath.Join(w.root, memory), 0o755) }, does: "commits, the mode as it is"},
		{name: "`memories.md` is a symbolic link", want: refused(2, "not-a-file"), does: "refuses: what is no regular file is neither read nor written", build: func(w *world) {
			w.rename(filepath.Join(w.root, memory), filepath.Join(w.root, "elsewhere.md"))
			w.symlink("elsewhere.md", filepath.Join(w.root, memory))
			w.commitAll("a link")
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}},
		{name: "`memories.md` is a folder", want: refused(2, "not-a-file"), does: "refuses", build: func(w *world) {
			w.git("rm", "-q", memory)
			w.write(memory+"/a.md", "a\n")
			w.commitAll("a folder")
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}},
		{name: "`memories.md` is a folder in HEAD, and a file on disk", want: deferred("git commit failed: \"memories.md\": git has a folder of that name"), later: nextAct + ", once the folder's removal is committed", build: func(w *world) {
			w.git("rm", "-q", memory)
			w.write(memory+"/a.md", "a\n")
			w.commitAll("a folder")
			w.remove(memory)
			w.write(memory, begun)
		}, ends: func(w *world) {
			w.person("rm", "-r", "-q", "--cached", memory)
			w.person("commit", "-q", "-m", "no folder")
		}},
		{name: "`memories.md` deleted by hand", want: refused(1, "no memory file"), does: "says that HEAD has it, and how it comes back (`git checkout HEAD -- memories.md`): no act makes a new file over it or writes to another scope, and automatic writes wait for it", build: func(w *world) {
			w.remove(memory)
		}, other: missingFile()},
		{name: "`memories.md` deleted, and the deletion staged", want: refused(1, "no memory file"), does: "the same", build: func(w *world) {
			w.git("rm", "-q", memory)
		}, other: missingFile()},
	}, edits()...)
}

// missingFile is what acts other than add say where there is none.
func missingFile() map[string]want {
	return map[string]want{"forget": refused(1, "no item has this key"), "undo": refused(1, "nothing-to-undo"), "auto": deferred("the memory file is not on disk")}
}

// neverCommitted makes a history without the memory file, which is there.
func (w *world) neverCommitted() {
	w.git("update-ref", "HEAD", "HEAD~1")
	w.git("rm", "-q", "--cached", memory)
}

// edits: a person's own changes of it wait.
func edits() []row {
	edit := func(w *world, from, to string) { w.write(memory, strings.Replace(w.read(memory), from, to, 1)) }
	own := "commits your edit first, as yours"
	return []row{
		{name: "`memories.md` edited by hand", want: committed(), does: own, build: func(w *world) { edit(w, "tabs in makefiles", "tabs everywhere") }, acts: []string{"add", "auto"}},
		{name: "`memories.md` edited and staged", want: committed(), does: own, build: func(w *world) {
			edit(w, "tabs in makefiles", "tabs everywhere")
			w.git("add", memory)
		}, acts: []string{"add", "auto"}},
		{name: "`memories.md` half staged", want: committed(), does: own + ", as it stands on disk", build: func(w *world) {
			edit(w, "tabs in makefiles", "tabs everywhere")
			w.git("add", memory)
			edit(w, "reviews", "reviews it all")
		}, acts: []string{"add", "auto"}},
		{name: "`memories.md` added with `add -N`", want: committed(), does: own, build: func(w *world) {
			w.neverCommitted()
			w.git("add", "-N", memory)
		}, ends: firstCommit},
		{name: "`memories.md` taken out of the index (`rm --cached`)", want: committed(), does: "commits it: it is tracked again", build: func(w *world) { w.git("rm", "-q", "--cached", memory) }},
		{name: "`memories.md` marked assume-unchanged", want: deferred("changes hidden from git"), later: nextAct + ", once the mark is off", build: func(w *world) {
			w.git("update-index", "--assume-unchanged", memory)
		}, ends: func(w *world) {
			w.git("update-index", "--no-assume-unchanged", memory)
			goOn(w)
		}},
		{name: "`memories.md` marked skip-worktree", want: deferred("changes hidden from git"), later: nextAct + ", once the mark is off", build: func(w *world) {
			w.git("update-index", "--skip-worktree", memory)
		}, ends: func(w *world) {
			w.git("update-index", "--no-skip-worktree", memory)
			goOn(w)
		}},
	}
}
