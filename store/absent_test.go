package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

// TestAFileThatGitTakesAwayForAMomentIsWaitedFor: a git at work has the index locked.
func TestAFileThatGitTakesAwayForAMomentIsWaitedFor(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	src := b.read(memfile.FileName)
	b.write(".git/index.lock", "")
	if err := os.Remove(filepath.Join(b.root, memfile.FileName)); err != nil {
		t.Fatal(err)
	}
	w := add("a.c", false)
	w.Clean, w.Wait = true, 30*time.Millisecond
	begun := time.Now()
	var deferred *DeferredError
	if _, err := b.project().Update(t.Context(), w); !errors.As(err, &deferred) || time.Since(begun) > 2*time.Second {
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
