package states

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// stop is an operation that has stopped for the person, in which memctl says how it
// goes on with the write in its history.
type stop struct {
	name  string
	build func(w *world)
	has   string // a commit that the branch has to have at the end
}

// stops are the stops of every operation in which a write can wait.
func stops() []stop {
	edit := func(list string) func(w *world) {
		return func(w *world) {
			w.env = append(w.env, "GIT_SEQUENCE_EDITOR=sed -i.bak "+list)
			w.try("rebase", "-q", "-i", "main~1", "topic")
		}
	}
	conflict := func(args ...string) func(w *world) {
		return func(w *world) {
			w.fails(args...)
			w.solve()
		}
	}
	return []stop{
		{"a merge with a conflict", conflict("merge", "topic~2"), "topic 1"},
		{"a merge that waits for its commit", func(w *world) { w.git("merge", "-q", "--no-commit", "--no-ff", "aside") }, "aside"},
		{"a rebase with a conflict", conflict("rebase", "-q", "main", "topic"), "topic 3"},
		{"a rebase by patches", conflict("rebase", "-q", "--apply", "main", "topic"), "topic 3"},
		{"a rebase that stopped for an edit", edit("1s/^pick/edit/"), "topic 3"},
		{"a rebase that stopped for an edit, which is committed", func(w *world) {
			edit("1s/^pick/edit/")(w)
			w.git("commit", "-q", "--allow-empty", "-m", "on top")
		}, "on top"},
		{"a rebase at a break", edit("1abreak"), "topic 3"},
		{"a rebase whose command failed", func(w *world) {
			w.fails("rebase", "-q", "main~1", "topic", "-x", "test -e ../first || (touch ../first && false)")
		}, "topic 3"},
		{"a cherry-pick with a conflict", conflict("cherry-pick", "topic~2"), "topic 1"},
		{"a series of cherry-picks with a conflict", conflict("cherry-pick", "main..topic"), "topic 3"},
		{"a series of cherry-picks between two", func(w *world) {
			conflict("cherry-pick", "main..topic")(w)
			w.git("commit", "-q", "--no-edit")
		}, "topic 3"},
		{"a revert with a conflict", func(w *world) {
			w.write("clash.txt", "of main again\n")
			w.commitAll("again")
			conflict("revert", "--no-edit", "HEAD~1")(w)
		}, `Revert "main"`},
		{"a revert that waits for its commit", func(w *world) { w.git("revert", "-n", "HEAD") }, `Revert "main"`},
		{"`git am -3`", func(w *world) {
			w.git("format-patch", "-q", "-o", "../patches", "main..topic")
			conflict("am", "-q", "-3", "../patches/0001-topic-1.patch", "../patches/0002-topic-agrees.patch", "../patches/0003-topic-3.patch")(w)
		}, "topic 3"},
	}
}

// TestAdvice does what memctl says where it could not commit: the operation then goes
// on to its end, and has the write in its history.
func TestAdvice(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	for _, s := range stops() {
		for _, act := range [][]string{{"add", "new.key", "a value of its own"}, {"remember", "The release goes out on the second Tuesday."}} {
			t.Run(s.name+", "+act[0], func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.clashes()
				s.build(w)
				got := w.memctl(append([]string{"--json"}, act...)...)
				command := advised(t, got)
				if out, err := w.command("sh", "-c", command).CombinedOutput(); err != nil {
					t.Fatalf("%s\n%s: %v\n%s", got, command, err, out)
				}
				w.goOn()
				if !strings.Contains(w.git("log", "--format=%s"), s.has) {
					t.Errorf("%q is not in the history:\n%s", s.has, w.git("log", "--format=%s"))
				}
				if out, _ := exec.Command("git", "-C", w.root, "grep", "-c", "-e", "a value of its own", "-e", "second Tuesday", "HEAD").CombinedOutput(); len(out) == 0 {
					t.Errorf("the write is not in the history: %s", got)
				}
				if out := w.git("status"); strings.Contains(out, "in progress") || strings.Contains(out, "You are currently") || !strings.Contains(out, "nothing to commit") {
					t.Errorf("%s\nit does not end:\n%s", got, out)
				}
				check{T: t, w: w, after: w.look()}.sound()
			})
		}
	}
}

// advised is the command in what memctl said.
func advised(t *testing.T, a answer) string {
	t.Helper()
	var o struct{ Notes []string }
	if err := json.Unmarshal([]byte(a.stdout), &o); err != nil || a.status != 0 {
		t.Fatalf("%v: %s", err, a)
	}
	for _, note := range o.Notes {
		if _, command, ok := strings.Cut(note, "to add it to the commit in progress: "); ok {
			return command
		}
	}
	t.Fatalf("no command: %s", a)
	return ""
}

// goOn continues what is in progress, as its person would. Where git does not know of which step
// the staged memory is part, it asks for a commit first.
func (w *world) goOn() {
	w.t.Helper()
	for range 9 {
		operation := ""
		switch status := w.git("status"); {
		case strings.Contains(status, "git am --continue"):
			operation = "am"
		case strings.Contains(status, "rebase in progress"), strings.Contains(status, "currently editing a commit"), strings.Contains(status, "currently rebasing"):
			operation = "rebase"
		case strings.Contains(status, "git cherry-pick --continue"), strings.Contains(status, "Cherry-pick currently in progress"):
			operation = "cherry-pick"
		case strings.Contains(status, "git revert --continue"):
			operation = "revert"
		case strings.Contains(status, "Changes to be committed"), strings.Contains(status, "still merging"):
			w.try("commit", "-q", "--no-edit")
			continue
		default:
			return
		}
		if _, err := w.command("git", operation, "--continue").CombinedOutput(); err != nil {
			w.try("commit", "-q", "-m", "memory")
		}
	}
}

// clashes makes the branches topic, whose first commit is in conflict with main and
// whose second changes the memory file, and aside, which is in nobody's way.
func (w *world) clashes() {
	w.t.Helper()
	w.env = append(w.env, "GIT_EDITOR=true")
	w.topics()
	w.git("switch", "-q", "topic")
	w.git("reset", "-q", "--hard", "main")
	w.write("clash.txt", "of the topic\n")
	w.commitAll("topic 1")
	w.write(memory, strings.Replace(begun, besideRow, besideRow+"\nTogether.\n", 1))
	w.commitAll("topic agrees")
	w.write("topic.txt", "3\n")
	w.commitAll("topic 3")
	w.git("switch", "-q", "main")
	w.write("clash.txt", "of main\n")
	w.commitAll("main")
}
