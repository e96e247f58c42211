package states

import (
	"runtime"
	"strings"
	"testing"
)

// inside are git's own hooks, and a command of the person's that runs each. In
// pre-rebase nothing shows that a rebase begins, and a commit made there makes
// it fail: docs/git.md says so.
func inside() []struct {
	hook string
	run  func(w *world)
} {
	commit := func(w *world) { w.person("commit", "-q", "-m", "my own work") }
	return []struct {
		hook string
		run  func(w *world)
	}{
		{"pre-commit", commit},
		{"prepare-commit-msg", commit},
		{"commit-msg", commit},
		{"post-commit", commit},
		{"post-checkout", func(w *world) { w.person("switch", "-q", "-c", "fresh") }},
		{"post-merge", func(w *world) { w.person("merge", "-q", "aside") }},
		{"pre-merge-commit", func(w *world) {
			commit(w)
			w.person("merge", "-q", "--no-edit", "--no-ff", "aside")
		}},
		{"post-rewrite", func(w *world) { w.person("commit", "-q", "--amend", "-m", "amended") }},
	}
}

// TestInsideHooks runs memctl inside every hook of the person's own git, where
// git's variables are set and git's locks may be held: the person's command
// ends as without it, and the write is in the file.
func TestInsideHooks(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	for _, h := range inside() {
		t.Run(h.hook, func(t *testing.T) {
			t.Parallel()
			make := func(text string) *world {
				w := newWorld(t)
				w.git("branch", "aside")
				w.git("switch", "-q", "aside")
				w.write("aside.txt", "aside\n")
				w.commitAll("aside")
				w.git("switch", "-q", "main")
				w.write("code.txt", "staged\n")
				w.git("add", "code.txt")
				w.script(w.inGitDir("hooks/"+h.hook), text)
				h.run(w)
				return w
			}
			said := "\"$HOME/../said\""
			w := make("memctl --json add --scope project new.key 'a value of its own' >" + said + " 2>&1 || exit 0\n")
			twin := make("exit 0\n")
			if got, want := w.outcome(), twin.outcome(); got != want {
				t.Errorf("the person's command ended otherwise (+) than without memctl (-):\n%s", differ(want, got))
			}
			answer := readText(w.other("said"))
			if !strings.Contains(w.read(memory), "new.key") || !strings.Contains(answer, "accept") {
				t.Errorf("the write is not in the file; memctl said\n%s", answer)
			}
			w.removeAt(w.inGitDir("hooks"))
			if o, err := w.memctl("--json", "add", "--scope", "project", "after.all", "yes").told(); err != nil || o.Commit == nil {
				t.Errorf("the next act does not commit: %+v %v", o, err)
			}
			s := w.look()
			if s.dirty != "" {
				t.Errorf("something still waits: %s", s.dirty)
			}
			check{T: t, w: w, after: s}.sound()
		})
	}
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
