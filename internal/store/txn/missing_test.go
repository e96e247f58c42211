package txn

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// TestAFileThatGitTakesAwayForAMomentIsWaitedFor: a git at work has the index locked.
func TestAFileThatGitTakesAwayForAMomentIsWaitedFor(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	src := b.Read(memfile.FileName)
	b.Write(".git/index.lock", "")
	if err := os.Remove(filepath.Join(b.Root, memfile.FileName)); err != nil {
		t.Fatal(err)
	}
	w := add("a.c", false)
	w.Clean, w.Wait = true, 30*time.Millisecond
	if _, err := Update(t.Context(), b.Project(), w); !fault.Is(err, fault.Deferred) {
		t.Errorf("an automatic act that waits in the queue: %v", err)
	}
	time.AfterFunc(200*time.Millisecond, func() {
		b.Write(memfile.FileName, src)
		_ = os.Remove(filepath.Join(b.Root, ".git", "index.lock"))
	})
	if out, err := Update(t.Context(), b.Project(), add("a.d", false)); err != nil || out.Commit == "" || len(out.Before.Items) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}
