package txn

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// holdAsChild takes the lock, says so, and holds it until its input ends.
func holdAsChild(path string) int {
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	unlock, err := safefile.Lock(context.Background(), root, filepath.Base(path), "memctl forget", nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = unlock()
	return 0
}

// holdLock lets another process hold the box's lock until the test ends.
func holdLock(b *storetest.Box) (pid int) {
	b.T.Helper()
	return hold(b, "lock")
}

// hold is holdLock for a lock of another name.
func hold(b *storetest.Box, name string) (pid int) {
	b.T.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_HOLD="+filepath.Join(b.Root, ".git", "memctl", name))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.T.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		b.T.Fatalf("the other process said %q: %v", line, err)
	}
	return cmd.Process.Pid
}

func TestALockThatIsHeldIsWaitedForInBounds(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	pid := holdLock(b)
	before := b.Read(memfile.FileName)
	w := add("a.b", false)
	w.Wait = 80 * time.Millisecond
	begin := time.Now()
	_, err := Update(t.Context(), b.Project(), w)
	if !fault.Is(err, fault.LockHeld) || !strings.Contains(err.Error(), fmt.Sprintf("process %d (memctl forget)", pid)) {
		t.Fatalf("got %v, want a held lock that names process %d and memctl forget", err, pid)
	}
	if took := time.Since(begin); took < w.Wait {
		t.Errorf("waited %v, less than %v", took, w.Wait)
	}
	if !strings.Contains(err.Error(), "memctl forget") {
		t.Errorf("%q does not name the holder", err)
	}
	if b.Read(memfile.FileName) != before {
		t.Error("the file changed without the lock")
	}
	if err := ledger.Enqueue(t.Context(), b.Project(), ledger.Waiting{Act: "add", Key: "a.b", Value: memfile.Str("x"), Origin: "automatic", Why: "held"}, w.Wait); err != nil {
		t.Errorf("the queue is free: %v", err)
	}
	hold(b, ledger.QueueLock)
	if err := ledger.Enqueue(t.Context(), b.Project(), ledger.Waiting{Act: "add", Key: "a.b", Value: memfile.Str("y"), Origin: "automatic", Why: "held"}, w.Wait); !fault.Is(err, fault.LockHeld) {
		t.Errorf("the queue was changed without its lock: %v", err)
	}
	if list, err := ledger.Queue(b.Project()); err != nil || len(list) != 1 {
		t.Errorf("%v, %d wait, want 1", err, len(list))
	}
	if _, err := Update(t.Context(), b.Project().Trial(), w); err != nil {
		t.Errorf("a dry run waits for nobody: %v", err)
	}
}

func TestReadingNeedsNoLock(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	holdLock(b)
	if m, err := contents.Read(t.Context(), b.Project()); err != nil || m.Find("a.b") == nil {
		t.Errorf("%v, %+v", err, m)
	}
}

func TestWritersTakeTurns(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	const writers = 4
	failed := make(chan error, writers)
	stores := make([]*store.Store, writers)
	for i := range stores {
		stores[i] = b.Project()
	}
	for i, st := range stores {
		go func() {
			w := add(fmt.Sprintf("a.k%d", i), false)
			w.Wait = 30 * time.Second
			_, err := Update(context.Background(), st, w)
			failed <- err
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	m, err := contents.Read(t.Context(), b.Project())
	if err != nil || len(m.Items) != writers {
		t.Errorf("%v, %d items of %d", err, len(m.Items), writers)
	}
	if n := len(b.Subjects()); n != writers+1 {
		t.Errorf("%d commits, want one a writer and the first", n)
	}
	b.Git("fsck", "--strict")
}

func TestAWriteIsAnnouncedBeforeItsLock(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	announced := 0
	st := b.ProjectAs(func(env *store.Env) {
		env.Writes = func() {
			announced++
			holdLock(b)
		}
	})
	if _, err := contents.Read(t.Context(), st); err != nil || announced != 0 {
		t.Fatalf("reading announces %d writes (%v)", announced, err)
	}
	w := add("a.b", false)
	w.Wait = 50 * time.Millisecond
	if _, err := Update(t.Context(), st, w); !fault.Is(err, fault.LockHeld) || announced == 0 {
		t.Fatalf("the lock was taken before the write was announced (%d, %v)", announced, err)
	}
}
