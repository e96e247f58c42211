package states

import (
	"strings"
)

// operations: the person has begun something and not ended it.
func operations() []row {
	return append([]row{
		{name: "a merge in progress, with a conflict", want: deferred("merge in progress"), later: nextAct, build: stopped("merge", "side"), ends: func(w *world) {
			w.solve()
			w.person("commit", "-q", "--no-edit")
		}},
		{name: "a merge that waits for its commit (`--no-commit`)", want: deferred("merge in progress"), later: nextAct, build: func(w *world) {
			w.diverge()
			w.git("merge", "-q", "--no-commit", "--no-ff", "aside")
		}, ends: func(w *world) { w.person("commit", "-q", "--no-edit") }},
		{name: "a merge that is aborted", want: deferred("merge in progress"), does: "writes the file; `git merge --abort` then reverts the merge and keeps memory's line", later: nextAct, idle: true,
			build: stopped("merge", "side"), ends: func(w *world) { w.person("merge", "--abort") }},
		{name: "a merge, cherry-pick or revert in progress that changes `memories.md`", want: refused(1, "the operation in progress changes the file"), acts: []string{"forget"}, idle: true,
			does:  "touches no file, so that `git merge --abort` works: `add` and `remember` wait in the queue, any other act stops with status 1",
			later: nextAct, build: func(w *world) {
				w.diverge()
				w.git("switch", "-q", "side")
				w.write(memory, strings.Replace(begun, "tabs in makefiles", "tabs, says the side", 1))
				w.commitAll("side agrees")
				w.git("switch", "-q", "main")
				w.fails("merge", "side")
			}, ends: func(w *world) { w.person("merge", "--abort") }},
		{name: "a squash merge that waits for its commit", want: committed(), does: "commits; the message that git prepared for you stays", build: func(w *world) {
			w.diverge()
			w.git("merge", "-q", "--squash", "aside")
		}, ends: func(w *world) { w.person("commit", "-q", "--no-edit") }},
		{name: "a rebase in progress, with a conflict", want: deferred("rebase in progress"), later: "your rebase, after `git add memories.md`, which it asks for; or " + nextAct,
			idle: true, build: stopped("rebase", "side"), ends: func(w *world) {
				for range 2 {
					w.solve()
					w.person("add", memory)
					w.person("rebase", "--continue")
				}
			}},
		{name: "a rebase by patches (`--apply`) in progress", want: deferred("rebase in progress"), later: "your rebase, after `git add memories.md`, which it asks for; or " + nextAct,
			idle: true, build: stopped("rebase", "--apply", "side"), ends: func(w *world) {
				w.solve()
				w.person("add", memory)
				w.person("rebase", "--continue")
				w.person("rebase", "--skip")
			}},
		{name: "a rebase that stopped for an edit", want: deferred("rebase in progress"), later: "your `git commit --amend -a`; or " + nextAct, idle: true, build: func(w *world) {
			w.diverge()
			w.env = append(w.env, "GIT_SEQUENCE_EDITOR=sed -i s/^pick/edit/", "GIT_EDITOR=true")
			w.git("rebase", "-q", "-i", "HEAD~1")
		}, ends: func(w *world) {
			w.write("clash.txt", "amended\n")
			w.person("commit", "-q", "-a", "--amend", "--no-edit")
			w.person("rebase", "--continue")
		}},
		{name: "a cherry-pick in progress, with a conflict", want: deferred("cherry-pick in progress"), later: nextAct, build: stopped("cherry-pick", "side"), ends: func(w *world) {
			w.solve()
			w.person("cherry-pick", "--continue")
		}},
		{name: "a series of cherry-picks, stopped in the middle", want: deferred("cherry-pick in progress"), later: nextAct, idle: true, build: stopped("cherry-pick", "side", "aside"), ends: func(w *world) {
			w.solve()
			w.person("commit", "-q", "--no-edit")
			w.person("cherry-pick", "--continue")
		}},
		{name: "a cherry-pick that waits for its commit (`-n`)", want: committed(), does: "commits; the message that git prepared for you stays", build: func(w *world) {
			w.diverge()
			w.git("cherry-pick", "-n", "aside")
		}, ends: func(w *world) { w.person("commit", "-q", "--no-edit") }},
		{name: "a revert in progress, with a conflict", want: deferred("revert in progress"), later: nextAct, build: stopped("revert", "--no-edit", "HEAD~1"), ends: func(w *world) {
			w.solve()
			w.person("revert", "--continue")
		}},
		{name: "a revert that waits for its commit (`-n`)", want: deferred("revert in progress"), later: nextAct, build: func(w *world) {
			w.diverge()
			w.git("revert", "-n", "HEAD")
		}, ends: func(w *world) { w.person("commit", "-q", "-m", "reverted") }},
		{name: "a bisect in progress", want: deferred("bisect in progress"), later: nextAct, idle: true, build: func(w *world) {
			w.diverge()
			w.git("bisect", "start", "HEAD", "HEAD~2")
		}, ends: func(w *world) {
			w.person("bisect", "good")
			w.person("bisect", "reset")
		}},
		{name: "`git am` in progress", want: deferred("am in progress"), later: nextAct, idle: true, build: func(w *world) {
			w.diverge()
			w.git("format-patch", "-q", "-1", "-o", "../patches", "side")
			w.fails("am", "-3", "../patches/0001-side.patch")
		}, ends: func(w *world) {
			w.solve()
			w.person("am", "--continue")
		}},
		{name: "a stash that met a conflict in another file", want: committed(), build: func(w *world) {
			w.write("clash.txt", "stashed\n")
			w.git("stash", "-q")
			w.write("clash.txt", "committed\n")
			w.commitAll("meanwhile")
			w.fails("stash", "pop")
		}, ends: func(w *world) {
			w.solve()
			w.person("commit", "-q", "-m", "solved")
			w.person("stash", "drop", "-q")
		}},
	}, memoryConflicts()...)
}

// memoryConflicts: it is the memory file that is in conflict.
func memoryConflicts() []row {
	said := map[string]want{"undo": refused(1, "nothing-to-undo"), "forget": {kind: absent}, "recover": {kind: absent}, "auto": {kind: absent}}
	mend := func(w *world) {
		w.write(memory, begun)
		w.person("add", memory)
	}
	change := func(w *world, to string) {
		w.write(memory, strings.Replace(begun, "tabs in makefiles", to, 1))
	}
	return []row{
		{name: "a merge with a conflict in `memories.md`", want: refused(1, ""), does: "refuses, until the conflict is settled: `memctl recover` or you do it", build: func(w *world) {
			w.git("switch", "-q", "-c", "side")
			change(w, "tabs, says one")
			w.commitAll("one")
			w.git("switch", "-q", "main")
			change(w, "tabs, says the other")
			w.commitAll("other")
			w.fails("merge", "side")
		}, other: said, ends: func(w *world) {
			mend(w)
			w.person("commit", "-q", "--no-edit")
		}},
		{name: "a stash that met a conflict in `memories.md`", want: refused(1, ""), does: "refuses, until the conflict is settled", build: func(w *world) {
			change(w, "tabs, stashed")
			w.git("stash", "-q")
			change(w, "tabs, committed")
			w.commitAll("other")
			w.fails("stash", "pop")
		}, other: said, ends: func(w *world) {
			mend(w)
			w.person("commit", "-q", "-m", "solved")
		}},
		{name: "`memories.md` unmerged in the index, and settled on disk", want: deferred("file unmerged"), later: nextAct + ", after `git add memories.md`", build: func(w *world) {
			change(w, "tabs, stashed")
			w.git("stash", "-q")
			change(w, "tabs, committed")
			w.commitAll("other")
			w.fails("stash", "pop")
			w.write(memory, begun)
		}, ends: func(w *world) {
			w.person("add", memory)
			w.person("commit", "-q", "-m", "solved")
		}},
	}
}

// diverge makes the branches side (in conflict) and aside (without one) beside
// main, which goes on for two commits.
func (w *world) diverge() {
	w.git("switch", "-q", "-c", "side")
	w.write("clash.txt", "of the side\n")
	w.git("commit", "-q", "-a", "-m", "side")
	w.git("switch", "-q", "-c", "aside", "main")
	w.write("aside.txt", "aside\n")
	w.commitAll("aside")
	w.git("switch", "-q", "main")
	for _, text := range []string{"of main\n", "of main again\n"} {
		w.write("clash.txt", text)
		w.git("commit", "-q", "-a", "-m", strings.TrimSpace(text))
	}
}

// stopped is a command that a conflict in clash.txt stops.
func stopped(args ...string) func(w *world) {
	return func(w *world) {
		w.diverge()
		w.env = append(w.env, "GIT_EDITOR=true")
		w.fails(args...)
	}
}

// solve settles the conflict in clash.txt.
func (w *world) solve() {
	w.write("clash.txt", "solved\n")
	w.person("add", "clash.txt")
}
