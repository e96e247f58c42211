package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

// personAtWork has a git of the person's run in the repository until the test's end.
func (b *box) personAtWork() {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", "git cat-file --batch-check; exit $?") // our own children do not count
	cmd.Dir = b.root
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if _, err := in.Write([]byte("HEAD\n")); err != nil {
		b.t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		b.t.Fatal(err)
	}
}

// TestAFileThatGitTakesAwayForAMomentIsWaitedFor: a git at work has the index locked.
func TestAFileThatGitTakesAwayForAMomentIsWaitedFor(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	src := b.read(memfile.FileName)
	b.write(".git/index.lock", "")
	b.personAtWork()
	if err := os.Remove(filepath.Join(b.root, memfile.FileName)); err != nil {
		t.Fatal(err)
	}
	w := add("a.c", false)
	w.Clean, w.Wait = true, 30*time.Millisecond
	begun := time.Now()
	var deferred *DeferredError
	if _, err := b.project().Update(t.Context(), w); !errors.As(err, &deferred) || time.Since(begun) > absentPatience {
		t.Errorf("an automatic act that waits in the queue: %v, after %v", err, time.Since(begun))
	}
	time.AfterFunc(200*time.Millisecond, func() {
		b.write(memfile.FileName, src)
		_ = os.Remove(filepath.Join(b.root, ".git", "index.lock"))
	})
	if out, err := b.project().Update(t.Context(), add("a.d", false)); err != nil || out.Commit == "" || len(out.Before.Items) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}
