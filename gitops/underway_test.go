package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestGitCommand(t *testing.T) {
	for line, want := range map[string]string{
		"git commit -m x": "commit",
		"/usr/bin/git -c a.b=c -C sub --no-pager ci -v": "ci",
		"git --git-dir=x --work-tree y status":          "status",
		"git-commit -m x":                               "commit",
		"/usr/lib/git-core/git-remote-https origin":     "remote-https",
		`C:/Git/bin/git.exe commit`:                     "commit",
		"git":                                           "",
		"git --version":                                 "",
		"":                                              "",
	} {
		if got := gitCommand(strings.Fields(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for name, want := range map[string]bool{"commit": true, "merge": true, "ci": true, "status": false, "fsmonitor--daemon": false, "fetch": false} {
		if got := movesHead([]string{"git", name}); got != want {
			t.Errorf("git %s: %v, want %v", name, got, want)
		}
	}
}

// TestAGitFromElsewhere: one that is told of the repository, or has a file of it open, runs
// there, wherever it stands.
func TestAGitFromElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there does a process show what it reaches")
	}
	b, other := newBox(t), newBox(t)
	beside := filepath.Base(filepath.Dir(b.root)) + "/" + filepath.Base(b.root)
	for name, start := range map[string]struct {
		args []string
		env  string
		here bool
	}{
		"--git-dir=":      {args: []string{"--git-dir=" + b.root + "/.git", "cat-file", "--batch"}, here: true},
		"--git-dir":       {args: []string{"--git-dir", b.root + "/.git", "cat-file", "--batch"}, here: true},
		"GIT_DIR":         {args: []string{"cat-file", "--batch"}, env: "GIT_DIR=" + b.root + "/.git", here: true},
		"a relative one":  {args: []string{"--git-dir=../../" + beside + "/.git", "cat-file", "--batch"}, here: true},
		"-C":              {args: []string{"-C", b.root, "cat-file", "--batch"}, here: true},
		"another's":       {args: []string{"cat-file", "--batch"}},
		"another GIT_DIR": {args: []string{"cat-file", "--batch"}, env: "GIT_DIR=" + other.root + "/.git"},
	} {
		t.Run(name, func(t *testing.T) {
			// Our own children do not count, so a shell is between.
			cmd := exec.Command("sh", append([]string{"-c", `git "$@"; exit $?`, "sh"}, start.args...)...)
			cmd.Dir, cmd.Env = other.root, append(os.Environ(), "PWD="+other.root, start.env)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { in.Close(); _ = cmd.Wait() }()
			seen := func() bool { return b.find().gitRuns(t.Context()) }
			for end := time.Now().Add(5 * time.Second); !other.find().gitRuns(t.Context()) && !seen() && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond)
			if got := seen(); got != start.here {
				t.Errorf("it runs here: %v, want %v", got, start.here)
			}
		})
	}
}

// TestPruning: a git gc that leaves new objects no grace is at work, in every worktree, and
// an ordinary one is not.
func TestPruning(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there does a process show its folder")
	}
	b := newBox(t)
	for i := range 300 {
		b.write(fmt.Sprintf("f%d.txt", i), fmt.Sprint("text ", i, "\n"))
	}
	b.git("add", ".")
	b.git("commit", "-q", "-m", "one")
	linked := filepath.Join(realTemp(t), "linked")
	b.git("worktree", "add", "-q", linked)
	for call, want := range map[string]string{"gc -q --prune=now": WhyAtWork, "gc -q": ""} {
		resume := b.stopped(call)
		for _, r := range []*Repo{b.find(), b.at(linked).find()} {
			if got := r.AtWork(background); got != want {
				t.Errorf("beside git %s in %s: %q, want %q", call, r.Root, got, want)
			}
		}
		resume()
		if got := b.find().AtWork(background); got != "" {
			t.Errorf("after git %s: %q", call, got)
		}
	}
}

// stopped starts a git gc and stops it in its midst; resume lets it go on to its end.
func (b *box) stopped(call string) (resume func()) {
	b.t.Helper()
	mark := filepath.Join(b.root, ".git", "gc.pid")
	for range 50 {
		cmd := exec.Command("sh", "-c", "git "+call+"; exit $?") // our own children do not count
		cmd.Dir = b.root
		if err := cmd.Start(); err != nil {
			b.t.Fatal(err)
		}
		for range 2000 {
			line, err := os.ReadFile(mark)
			pid, _, whole := strings.Cut(string(line), " ")
			if err != nil || !whole {
				time.Sleep(time.Millisecond)
				continue
			}
			signal := func(name string) error { return exec.Command("kill", "-"+name, pid).Run() }
			err = signal("STOP")
			if _, gone := os.Stat(mark); err == nil && gone == nil {
				return func() {
					if err := errors.Join(signal("CONT"), cmd.Wait()); err != nil {
						b.t.Fatal(err)
					}
				}
			}
			signal("CONT")
			break
		}
		cmd.Wait()
	}
	b.t.Skip("git gc is always over before it can be stopped")
	return nil
}

// TestCommitUnderWay: a commit that waits for its editor is seen in its own
// worktree, and neither in one inside that nor after its end.
func TestCommitUnderWay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only there does a process show its folder")
	}
	b := newBox(t)
	b.write("a.txt", "one\n")
	b.git("add", "a.txt")
	b.git("commit", "-q", "-m", "one")
	b.git("worktree", "add", "-q", "inner")
	b.git("commit", "-q", "--allow-empty", "-m", "two")
	outer, inner := b.find(), b.at(filepath.Join(b.root, "inner")).find()
	if outer.commitUnderWay(context.Background()) {
		t.Fatal("a commit is under way that nobody has begun")
	}
	dir := realTemp(t)
	begun, end, editor := filepath.Join(dir, "begun"), filepath.Join(dir, "end"), filepath.Join(dir, "editor")
	script := "#!/bin/sh\ntouch '" + begun + "'\nwhile ! test -e '" + end + "'; do sleep 0.01; done\necho words > \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "git commit -q --allow-empty; exit $?") // our own children do not count
	cmd.Dir, cmd.Env = b.root, append(os.Environ(), "GIT_EDITOR="+editor)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !outer.commitUnderWay(context.Background()) {
		t.Error("the commit that is under way is not seen")
	}
	if inner.commitUnderWay(context.Background()) {
		t.Error("it counts for a worktree that lies inside")
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if outer.commitUnderWay(context.Background()) {
		t.Error("it is over and counts as under way")
	}
}
