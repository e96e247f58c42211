package safefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// folderAt opens the folder of a path.
func folderAt(t *testing.T, path string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(context.Background(), folderAt(t, path), filepath.Base(path), "memctl add\nwriting.tone", nil)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = Lock(ctx, folderAt(t, path), filepath.Base(path), "second", nil)
	if want := Held(path, os.Getpid(), "memctl add writing.tone", nil).Error(); !fault.Is(err, fault.LockHeld) || err.Error() != want || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if pid, what := holder(folderAt(t, path), filepath.Base(path)); pid != 0 || what != "" {
		t.Errorf("a free lock names %d, %q", pid, what)
	}
	// A context that has ended still gets a lock that is free. The one above may not be
	// yet: who gave up stood in line, and passes it on.
	path = filepath.Join(t.TempDir(), "lock")
	if unlock, err = Lock(ctx, folderAt(t, path), filepath.Base(path), strings.Repeat("long ", 100), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(ctx, folderAt(t, path), filepath.Base(path), "x", nil); !fault.Is(err, fault.LockHeld) {
		t.Errorf("Lock: %v", err)
	}
	if pid, what := holder(folderAt(t, path), filepath.Base(path)); pid != os.Getpid() || len(what) > holderMax {
		t.Errorf("a held lock names %d, %q", pid, what)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// TestLockNamesNoDeadHolder: a line that a dead process has left, under another's lock,
// names nobody.
func TestLockNamesNoDeadHolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signal asks there whether a process runs")
	}
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), folderAt(t, path), filepath.Base(path), "memctl add", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unlock() }()
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]bool{gone.Process.Pid: true, os.Getppid(): false} {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writeHolder(f, fmt.Sprintf("%d memctl add", pid)), f.Close()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = Lock(ctx, folderAt(t, path), filepath.Base(path), "second", nil)
		cancel()
		if !fault.Is(err, fault.LockHeld) || strings.Contains(err.Error(), "does not run") != want || strings.Contains(err.Error(), "locked by process") == want {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}

// TestLockExcludes: many at once, each alone.
func TestLockExcludes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var inside, most, done atomic.Int32
	results := make(chan error)
	for range 8 {
		go func() {
			for range 5 {
				unlock, err := Lock(ctx, folderAt(t, path), filepath.Base(path), "test", nil)
				if err != nil {
					results <- err
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				time.Sleep(time.Millisecond)
				inside.Add(-1)
				done.Add(1)
				if err := unlock(); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if most.Load() != 1 || done.Load() != 40 {
		t.Errorf("%d at once, %d in all", most.Load(), done.Load())
	}
}

// TestLockEndsWithItsProcess: a holder that is killed leaves nothing to clean.
func TestLockEndsWithItsProcess(t *testing.T) {
	if path := os.Getenv("SAFEFILE_TEST_LOCK"); path != "" {
		if _, err := Lock(context.Background(), folderAt(t, path), filepath.Base(path), "the child", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockEndsWithItsProcess$")
	cmd.Env = append(os.Environ(), "SAFEFILE_TEST_LOCK="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 500 {
		if pid, _ := holder(folderAt(t, path), filepath.Base(path)); pid != 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := Lock(ctx, folderAt(t, path), filepath.Base(path), "x", nil)
	if want := Held(path, cmd.Process.Pid, "the child", nil).Error(); !fault.Is(err, fault.LockHeld) || err.Error() != want {
		t.Fatalf("Lock: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	unlock, err := Lock(ctx, folderAt(t, path), filepath.Base(path), "the next", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestLockWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write everywhere, and Windows knows no folder that nobody may write into")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(context.Background(), folderAt(t, filepath.Join(dir, "lock")), "lock", "x", nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Lock: %v", err)
	}
}

// TestLockThatCannotBeMade: the system's cause is no other holder, even where
// no time is left to wait.
func TestLockThatCannotBeMade(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := t.TempDir()
	if _, err := Lock(ctx, folderAt(t, path), filepath.Base(path), "x", nil); err == nil || fault.Is(err, fault.LockHeld) {
		t.Errorf("a folder as the lock: %v", err)
	}
}
