package states

import (
	"path/filepath"
	"runtime"
	"time"
)

// waits is a script that reports that it runs, and waits to be told to go on.
const waits = "touch \"$HOME/../begun\"\nfor i in $(seq 3000); do\n  test -e \"$HOME/../go\" && exit 0\n  sleep 0.02\ndone\n"

// underWay: a git of the person's has begun a commit, or a rebase, and waits for
// something. Nothing in the git folder shows that, and it fails where HEAD moves.
func underWay() []row {
	state := func(name string, prepare func(w *world), args ...string) row {
		return row{
			name: name, want: deferred("commit in progress"), later: nextAct,
			needs: func() string {
				if runtime.GOOS != "linux" {
					return "only there does a process show its folder"
				}
				return ""
			},
			build: func(w *world) {
				if prepare != nil {
					prepare(w)
				}
				w.afterWork = func() { w.begin(args...) }
			},
			ends: func(w *world) {
				w.writeAt(w.other("go"), "")
				w.ended = append(w.ended, <-w.background)
				goOn(w)
			},
		}
	}
	return []row{
		state("an editor is open for the message of a commit", func(w *world) {
			w.script(w.other("editor"), "printf 'my own words\\n' > \"$1\"\n"+waits)
			w.env = append(w.env, "GIT_EDITOR="+w.other("editor"))
		}, "commit", "-q"),
		state("a `pre-commit` hook that takes its time", func(w *world) {
			w.script(w.inGitDir("hooks/pre-commit"), waits)
		}, "commit", "-q", "-m", "my own words"),
		state("a `post-index-change` hook that takes its time", func(w *world) {
			// any git that refreshes the index would run it, the suite's own before the person's
			w.script(w.inGitDir("hooks/post-index-change"), "test -e \"$HOME/../begins\" || exit 0\ntest -e \"$HOME/../begun\" && exit 0\n"+waits)
		}, "commit", "-q", "-m", "my own words"),
		state("a hook in a folder of its own that takes its time, for a commit by an alias", func(w *world) {
			w.script(filepath.Join(w.root, ".husky", "commit-msg"), waits)
			w.git("config", "core.hooksPath", ".husky")
			w.git("config", "alias.ci", "commit -q")
		}, "ci", "-m", "my own words"),
		state("hooks for all repositories (a global `core.hooksPath`) that take their time", func(w *world) {
			w.script(filepath.Join(w.dir, "home", "githooks", "pre-commit"), waits)
			w.git("config", "--global", "core.hooksPath", "~/githooks")
		}, "commit", "-q", "-m", "my own words"),
	}
}

// begin starts a command of the person's and waits until its script runs.
func (w *world) begin(args ...string) {
	w.t.Helper()
	w.background = make(chan string, 1)
	w.writeAt(w.other("begins"), "")
	other := *w
	other.ended = nil
	go func() {
		other.person(args...)
		w.background <- other.ended[0]
	}()
	for range 1000 {
		if exists(w.other("begun")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("git %q does not come to its script", args)
}
