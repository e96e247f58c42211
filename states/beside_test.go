package states

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// waitsAtWork is the reason of a write that comes from beside a git that runs.
const waitsAtWork = "git at work"

// running is a git of the person's that has noted what HEAD or the files are, and
// would fail in the end, or undo a write, where memctl moved them meanwhile.
type running struct {
	name    string
	prepare func(w *world) // makes it wait in its midst
	args    []string
}

func runningGits() []running {
	hook := func(name string) func(w *world) {
		return func(w *world) {
			w.topics()
			w.script(w.inGitDir("hooks/"+name), waits)
		}
	}
	return []running{
		{"a rebase before its first step", hook("pre-rebase"), []string{"rebase", "-q", "aside", "topic"}},
		{"a rebase", hook("prepare-commit-msg"), []string{"rebase", "-q", "aside", "topic"}},
		{"a series of cherry-picks", hook("prepare-commit-msg"), []string{"cherry-pick", "main..topic"}},
		{"a pull that fetches", func(w *world) {
			upstream := w.at(w.root)
			w.cloneTo(w.other("clone"))
			upstream.write("news.txt", "from upstream\n")
			upstream.commitAll("upstream goes on")
			w.script(w.other("waiting"), waits)
			w.git("config", "remote.origin.uploadpack", "sh '"+w.other("waiting")+"'; git-upload-pack")
		}, []string{"pull", "-q", "--no-rebase", "--no-edit"}},
		{"a filter-branch", func(w *world) {
			w.script(w.other("waiting"), waits)
			w.env = append(w.env, "FILTER_BRANCH_SQUELCH_WARNING=1")
		}, []string{"filter-branch", "-f", "--msg-filter", "sh \"$HOME/../waiting\"; cat; echo filtered", "main"}},
		{"a stash of parts", func(w *world) {
			w.write("code.txt", "changed\n")
			w.script(w.other("waiting"), "until ls .git/index.stash.* >/dev/null 2>&1; do sleep 0.02; done\n"+waits)
			w.git("config", "alias.parts", "!(sh '"+w.other("waiting")+"'; yes) | git stash push -q -p")
		}, []string{"parts"}},
	}
}

// TestBesideRunning: a write that comes from elsewhere while such a git runs waits for
// its end, and is then made.
func TestBesideRunning(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("only there does a process show its folder")
	}
	for _, c := range runningGits() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, want := c.outcome(t, true), c.outcome(t, false); got != want {
				t.Errorf("the person's command ended otherwise (+) than without memctl (-):\n%s", differ(want, got))
			}
		})
	}
}

// outcome is how the person's command ends, with writes of memctl's beside it or without.
func (c running) outcome(t *testing.T, memctl bool) string {
	t.Helper()
	w := newWorld(t)
	c.prepare(w)
	w.begin(c.args...)
	automatic := answer{stdout: waitsAtWork}
	explicit := make(chan answer, 1)
	if memctl {
		automatic = w.memctl("--json", "add", "--auto", "--scope", "project", "noted.key", "noted by a hook")
		go func() { explicit <- w.memctl("--json", "add", "--scope", "project", "new.key", "a value of its own") }()
		time.Sleep(100 * time.Millisecond)
	} else {
		explicit <- answer{}
	}
	w.writeAt(w.other("go"), "")
	w.ended = append(w.ended, <-w.background)
	if got := <-explicit; memctl && (got.status != 0 || !strings.Contains(got.stdout, `"verdict":"accept"`) || !strings.Contains(w.read(memory), "new.key")) {
		t.Errorf("the write was not made: %s", got)
	}
	if !strings.Contains(automatic.stdout, waitsAtWork) {
		t.Errorf("the automatic write does not wait: %s", automatic)
	}
	return w.outcome()
}
