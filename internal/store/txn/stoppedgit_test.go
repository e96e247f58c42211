package txn

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/tests/storetest"
)

// wrapGit puts a script before git on the path, which runs where git is asked for that
// command by memctl; $REAL is git itself.
func wrapGit(t *testing.T, command, script string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes as Linux tells of them")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "#!/bin/sh\ncase \" $* \" in *' " + command + " '*)\n" + script + "\nesac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_REFLOG_ACTION", "commit") // with which memctl leaves the commit to git
	t.Setenv("REAL", real)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// stopped is a context that is cancelled once the file is there, as by a Ctrl-C.
func stopped(t *testing.T, name string) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(name); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	return ctx
}

// locksOf are git's locks that stand in the way of its next commit.
func locksOf(b *storetest.Box) string {
	var names []string
	for _, pattern := range []string{"*.lock", "refs/heads/*.lock"} {
		list, _ := filepath.Glob(filepath.Join(b.Root, ".git", pattern))
		names = append(names, list...)
	}
	return strings.Join(names, " ")
}

func TestAStoppedActLetsItsGitEnd(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	begun := filepath.Join(t.TempDir(), "begun")
	wrapGit(t, "update-ref", "touch "+begun+"\nsleep 0.3\n")
	out, err := Update(stopped(t, begun), b.Project(), add("c.d", false))
	if err != nil || out.Commit == "" || out.Commit != b.Git("rev-parse", "HEAD") {
		t.Errorf("%v: %+v", err, out)
	}
	if left := locksOf(b); left != "" || b.Git("status", "--porcelain") != "" {
		t.Errorf("left behind: %s", left)
	}
}

// A git of ours that is killed at the moment of a Ctrl-C leaves its lock.
func TestALockOfAStoppedActIsTakenAway(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	begun := filepath.Join(t.TempDir(), "begun")
	wrapGit(t, "update-ref", "touch .git/index.lock "+begun+"\nsleep 0.3\nkill -9 $$\n")
	out, err := Update(stopped(t, begun), b.Project(), add("c.d", false))
	if err != nil || out.Commit != "" {
		t.Errorf("%v: %+v", err, out)
	}
	if left := locksOf(b); left != "" {
		t.Errorf("left behind: %s", left)
	}
}
