package states

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
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
		{"a series of cherry-picks that found the file in its way", func(w *world) {
			conflict("cherry-pick", "main..topic")(w)
			w.memctl("add", "--scope", "project", "in.the.way", "of the next pick")
			w.fails("cherry-pick", "--continue")
		}, "topic agrees"},
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
				for _, command := range advised(t, got) {
					if out, err := w.command("sh", "-c", command).CombinedOutput(); err != nil {
						t.Fatalf("%s\n%s: %v\n%s", got, command, err, out)
					}
				}
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

// TestAdviceWhereAStepCouldNotBegin: nothing of it is staged, so that going on at once
// would commit the write in the step's name, and the step would be lost. The write is
// committed by itself; the person then brings the step in, and it is whole.
func TestAdviceWhereAStepCouldNotBegin(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	for _, s := range []struct {
		name              string
		build, bring      func(w *world)
		subject, holdsNow string
	}{
		{"a patch that does not apply", func(w *world) {
			w.git("format-patch", "-q", "-o", "../patches", "main..topic")
			w.fails("am", "-q", "../patches/0001-topic-1.patch")
		}, func(w *world) { w.solve() }, "topic 1", "clash.txt"},
		{"a pick that found a file in its way", func(w *world) {
			w.write("aside.txt", "not in git\n")
			w.fails("rebase", "-q", "main", "aside")
		}, func(w *world) { w.removeAt(filepath.Join(w.root, "aside.txt")) }, "aside", "aside.txt"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.clashes()
			s.build(w)
			commands := advised(t, w.memctl("--json", "add", "new.key", "a value of its own"))
			if out, err := w.command("sh", "-c", commands[0]).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", commands[0], err, out)
			}
			if out, err := w.command("sh", "-c", commands[1]).CombinedOutput(); err == nil {
				t.Fatalf("%s went on without the step:\n%s", commands[1], out)
			}
			s.bring(w)
			if out, err := w.command("sh", "-c", commands[1]).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", commands[1], err, out)
			}
			if got := w.git("log", "-1", "--format=%s", "--name-only"); !strings.HasPrefix(got, s.subject) || !strings.Contains(got, s.holdsNow) || strings.Contains(got, memory) {
				t.Errorf("the step is not whole:\n%s", got)
			}
			if n := strings.Count(w.git("log", "--format=%s"), s.subject+"\n"); n > 1 {
				t.Errorf("%q is in the history %d times", s.subject, n)
			}
			if out, _ := exec.Command("git", "-C", w.root, "grep", "-c", "a value of its own", "HEAD").CombinedOutput(); len(out) == 0 {
				t.Error("the write is not in the history")
			}
		})
	}
}

// advised are the commands in what memctl said, in their order.
func advised(t *testing.T, a answer) (commands []string) {
	t.Helper()
	var o struct{ Notes []string }
	if err := json.Unmarshal([]byte(a.stdout), &o); err != nil || a.status != 0 {
		t.Fatalf("%v: %s", err, a)
	}
	text := ""
	for _, note := range o.Notes {
		if _, said, ok := strings.Cut(note, "in progress): "); ok {
			text = strings.TrimSuffix(said, " commits it too")
		}
	}
	text, before, passes := strings.Cut(text, "; that skips ")
	commands = strings.Split(strings.Replace(text, ", then ", ", and ", 1), ", and ")
	if len(commands) != 2 {
		t.Fatalf("no two commands: %s", a)
	}
	if passes {
		_, command, _ := strings.Cut(before, "does not have it yet, ")
		id, _, _ := strings.Cut(before, ",")
		// A person looks whether they have it; what is there already leaves nothing to pick.
		has := "git log --format=%s | grep -qxF \"$(git log -1 --format=%s " + id + ")\""
		commands = []string{commands[0], has + " || " + strings.TrimSuffix(command, " before"), commands[1]}
	}
	return commands
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
