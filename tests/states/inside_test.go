package states

import (
	"runtime"
	"strings"
	"testing"
)

// waitsInside is the reason that every write has in there.
const waitsInside = "inside a git command"

// place is where a git of the person's starts memctl.
type place struct {
	name string // as README.md calls it
	hook string // "" where run starts it by itself
	run  func(w *world)
	// plain: git tells its hook nothing there, so memctl commits, as "git commit" would.
	plain bool
}

// inside are git's own hooks, and a command of the person's that runs each.
func inside() []place {
	commit := func(w *world) { w.person("commit", "-q", "-m", "my own work") }
	after := func(args ...string) func(w *world) { // a clean tree, for what asks for one
		return func(w *world) {
			w.git("stash", "-q")
			w.person(args...)
		}
	}
	rebase := after("rebase", "-q", "aside", "topic")
	pick := after("cherry-pick", "main..topic")
	return []place{
		{name: "a `pre-commit` hook", hook: "pre-commit", run: commit},
		{name: "a `prepare-commit-msg` hook", hook: "prepare-commit-msg", run: commit},
		{name: "a `commit-msg` hook", hook: "commit-msg", run: commit},
		{name: "a `post-commit` hook", hook: "post-commit", run: commit},
		{name: "a `pre-merge-commit` hook", hook: "pre-merge-commit", run: func(w *world) {
			commit(w)
			w.person("merge", "-q", "--no-edit", "--no-ff", "aside")
		}},
		{name: "a `post-merge` hook of a merge with a commit", hook: "post-merge", run: func(w *world) {
			commit(w)
			w.person("merge", "-q", "--no-edit", "--no-ff", "aside")
		}},
		{name: "a `post-checkout` hook of a rebase", hook: "post-checkout", run: rebase},
		{name: "a `post-commit` hook of a rebase", hook: "post-commit", run: rebase},
		{name: "a `prepare-commit-msg` hook of a rebase", hook: "prepare-commit-msg", run: rebase},
		{name: "a `post-rewrite` hook of a rebase", hook: "post-rewrite", run: rebase},
		{name: "a `prepare-commit-msg` hook of a series of cherry-picks", hook: "prepare-commit-msg", run: pick},
		{name: "a `post-applypatch` hook", hook: "post-applypatch", run: func(w *world) {
			w.git("stash", "-q")
			w.git("format-patch", "-q", "-o", "../patches", "main..topic")
			w.person("am", "-q", "../patches/0001-topic-1.patch", "../patches/0002-topic-agrees.patch", "../patches/0003-topic-3.patch")
		}},
		{name: "a command of `git rebase -x`", run: after("rebase", "-q", "aside", "topic", "-x", "sh ../inside")},
		{name: "a command of `git bisect run`", run: func(w *world) {
			w.git("stash", "-q")
			w.git("switch", "-q", "topic")
			w.git("bisect", "start", "topic", "main")
			w.person("bisect", "run", "sh", "../inside")
			w.git("bisect", "reset")
		}},
		{name: "the editor of a commit", run: func(w *world) {
			w.person("-c", "core.editor=sh ../inside", "commit", "-q", "--amend")
		}},
		{name: "a `post-checkout` hook of a switch", hook: "post-checkout", plain: true, run: func(w *world) { w.person("switch", "-q", "-c", "fresh") }},
		{name: "a `post-checkout` hook of a new worktree", hook: "post-checkout", plain: true, run: func(w *world) { w.person("worktree", "add", "-q", "../linked") }},
		{name: "a `post-merge` hook of a merge that fast-forwards", hook: "post-merge", plain: true, run: func(w *world) { w.person("merge", "-q", "aside") }},
		{name: "a `post-rewrite` hook of `commit --amend`", hook: "post-rewrite", plain: true, run: func(w *world) { w.person("commit", "-q", "--amend", "-m", "amended") }},
		{name: "a `pre-push` hook", hook: "pre-push", plain: true, run: func(w *world) {
			w.git("init", "-q", "--bare", "../hub")
			w.person("push", "-q", "../hub", "main")
		}},
		{name: "an alias", plain: true, run: func(w *world) {
			w.git("config", "alias.mem", "!sh ../inside")
			w.person("mem")
		}},
	}
}

// besideRow is where begun has room for a change that no other change is near to.
const besideRow = "# What we agreed on\n"

// topics makes the branch aside, with a file of its own, and topic, whose second
// commit changes the memory file: a git that comes to it finds that file in its way.
func (w *world) topics() {
	w.t.Helper()
	w.git("switch", "-q", "-c", "aside")
	w.write("aside.txt", "aside\n")
	w.commitAll("aside")
	w.git("switch", "-q", "-c", "topic", "main")
	for _, text := range []string{"topic 1", "topic agrees", "topic 3"} {
		if text == "topic agrees" {
			w.write(memory, strings.Replace(begun, besideRow, besideRow+"\nTogether.\n", 1))
		} else {
			w.write(text+".txt", text)
		}
		w.commitAll(text)
	}
	w.git("switch", "-q", "main")
}

// TestInsideHooks runs memctl inside the hooks of the person's own git: the person's
// command ends as without it, and the write waits for the next act, or is committed where
// git does not tell its hook that it waits.
func TestInsideHooks(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	for _, p := range inside() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			said := "\"$HOME/../said\""
			w := p.runs(t, "memctl --json add --scope project new.key 'a value of its own' >"+said+" 2>&1\n"+
				"memctl --json forget --scope project old.habit >>"+said+" 2>&1 && echo FORGOTTEN >>"+said+"\nexit 0\n")
			twin := p.runs(t, "exit 0\n")
			if got, want := w.outcome(), twin.outcome(); got != want {
				t.Errorf("the person's command ended otherwise (+) than without memctl (-):\n%s", differ(want, got))
			}
			answer := readText(w.other("said"))
			if p.plain {
				p.committed(w, answer)
				return
			}
			if strings.Contains(w.read(memory), "new.key") || strings.Contains(answer, "FORGOTTEN") ||
				!strings.Contains(answer, `"verdict":"hold"`) || strings.Count(answer, waitsInside) < 2 {
				t.Errorf("the write does not wait; memctl said\n%s", answer)
			}
			if dirty := w.git("status", "--porcelain", "--", memory); dirty != "" {
				t.Errorf("the memory file was touched: %s", dirty)
			}
			w.removeAt(w.inGitDir("hooks"))
			if o, err := w.memctl("--json", "add", "--scope", "project", "after.all", "yes").told(); err != nil || o.Commit == nil {
				t.Errorf("the next act does not commit: %+v %v", o, err)
			}
			if got, want := w.git("log", "-2", "--format=%s"), "memory: add after.all\nmemory: add new.key"; got != want {
				t.Errorf("the next act commits %q, want %q", got, want)
			}
			s := w.look()
			if s.dirty != "" {
				t.Errorf("something still waits: %s", s.dirty)
			}
			check{T: t, w: w, after: s}.sound()
		})
	}
}

// committed: nothing tells memctl that a git waits for it, and both acts commit.
func (p place) committed(w *world, answer string) {
	w.t.Helper()
	at := w
	if strings.HasSuffix(p.name, "of a new worktree") {
		at = w.at(w.other("linked"))
	}
	if got, want := at.git("log", "-2", "--format=%s"), "memory: forget old.habit\nmemory: add new.key"; got != want || !strings.Contains(answer, "FORGOTTEN") {
		w.t.Errorf("committed are %q, want %q; memctl said\n%s", got, want, answer)
	}
	s := at.look()
	if s.dirty != "" {
		w.t.Errorf("something still waits: %s", s.dirty)
	}
	check{T: w.t, w: at, after: s}.sound()
}

// runs is a world in which the person's command has run the script in the place.
func (p place) runs(t *testing.T, script string) *world {
	t.Helper()
	w := newWorld(t)
	w.topics()
	w.write("code.txt", "staged\n")
	w.git("add", "code.txt")
	text := "test -n \"$WITHIN\" && exit 0\nexport WITHIN=1\n" + script
	w.script(w.other("inside"), text)
	if p.hook != "" {
		w.script(w.inGitDir("hooks/"+p.hook), text)
	}
	p.run(w)
	return w
}

// TestAutomaticBlocksNothing: what an agent writes by itself is in nobody's way
// when they switch, pull or stash, whether it was committed or waits.
func TestAutomaticBlocksNothing(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	for name, before := range map[string]func(w *world){
		"in a normal state":     func(*world) {},
		"on a protected branch": func(w *world) { w.git("config", "memctl.protectedBranch", "main") },
		"without an identity": func(w *world) {
			w.git("config", "user.name", "")
			w.git("config", "user.useConfigOnly", "true")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(memctl bool) *world {
				w := newWorld(t)
				upstream := w.at(w.root)
				w.cloneTo(w.other("clone"))
				w.git("branch", "other")
				upstream.write(memory, strings.Replace(begun, "tabs in makefiles", "tabs, upstream", 1))
				upstream.commitAll("upstream goes on")
				before(w)
				if memctl {
					if got := w.memctl("--json", "add", "--auto", "noted.key", "noted by a hook"); got.status != 0 {
						t.Fatalf("%s", got)
					}
				}
				w.person("pull", "-q", "--ff-only")
				w.person("switch", "-q", "other")
				w.person("switch", "-q", "main")
				w.person("stash", "-q")
				return w
			}
			if got, want := run(true).outcome(), run(false).outcome(); got != want {
				t.Errorf("an automatic write was in the way:\n%s", differ(want, got))
			}
		})
	}
}
