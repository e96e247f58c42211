package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
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
func (b *box) holdLock() (pid int) {
	b.t.Helper()
	return b.hold("lock")
}

// hold is holdLock for a lock of another name.
func (b *box) hold(name string) (pid int) {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_HOLD="+filepath.Join(b.root, ".git", "memctl", name))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		b.t.Fatalf("the other process said %q: %v", line, err)
	}
	return cmd.Process.Pid
}

func TestALockThatIsHeldIsWaitedForInBounds(t *testing.T) {
	b := gitBox(t, memfile.Template)
	pid := b.holdLock()
	before := b.read(memfile.FileName)
	w := add("a.b", false)
	w.Wait = 80 * time.Millisecond
	begin := time.Now()
	_, err := b.project().Update(t.Context(), w)
	var held *safefile.HeldError
	if !errors.As(err, &held) || held.PID != pid || held.Holder != "memctl forget" {
		t.Fatalf("got %v, want a held lock that names process %d and memctl forget", err, pid)
	}
	if took := time.Since(begin); took < w.Wait || took > 5*time.Second {
		t.Errorf("waited %v, not about %v", took, w.Wait)
	}
	if !strings.Contains(err.Error(), "memctl forget") {
		t.Errorf("%q does not name the holder", err)
	}
	if b.read(memfile.FileName) != before {
		t.Error("the file changed without the lock")
	}
	if err := b.project().Enqueue(t.Context(), Waiting{Act: "add", Key: "a.b", Value: memfile.Str("x"), Origin: "automatic", Why: "held"}, w.Wait); err != nil {
		t.Errorf("the queue is free: %v", err)
	}
	b.hold(queueLock)
	if err := b.project().Enqueue(t.Context(), Waiting{Act: "add", Key: "a.b", Value: memfile.Str("y"), Origin: "automatic", Why: "held"}, w.Wait); !errors.As(err, &held) {
		t.Errorf("the queue was changed without its lock: %v", err)
	}
	if list, err := b.project().Queue(); err != nil || len(list) != 1 {
		t.Errorf("%v, %d wait, want 1", err, len(list))
	}
	w.DryRun = true
	if _, err := b.project().Update(t.Context(), w); err != nil {
		t.Errorf("a dry run waits for nobody: %v", err)
	}
}

func TestReadingNeedsNoLock(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.holdLock()
	if m, err := b.project().Read(t.Context()); err != nil || m.Find("a.b") == nil {
		t.Errorf("%v, %+v", err, m)
	}
}

func TestWritersTakeTurns(t *testing.T) {
	b := gitBox(t, memfile.Template)
	const writers = 4
	failed := make(chan error, writers)
	stores := make([]*Store, writers)
	for i := range stores {
		stores[i] = b.project()
	}
	for i, st := range stores {
		go func() {
			w := add(fmt.Sprintf("a.k%d", i), false)
			w.Wait = 30 * time.Second
			_, err := st.Update(context.Background(), w)
			failed <- err
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	m, err := b.project().Read(t.Context())
	if err != nil || len(m.Items) != writers {
		t.Errorf("%v, %d items of %d", err, len(m.Items), writers)
	}
	if n := len(b.subjects()); n != writers+1 {
		t.Errorf("%d commits, want one a writer and the first", n)
	}
	b.git("fsck", "--strict")
}

func TestAWriteIsAnnouncedBeforeItsLock(t *testing.T) {
	b := gitBox(t, memfile.Template)
	announced := 0
	st := b.projectAs(func(env *Env) {
		env.Writes = func() {
			announced++
			b.holdLock()
		}
	})
	if _, err := st.Read(t.Context()); err != nil || announced != 0 {
		t.Fatalf("reading announces %d writes (%v)", announced, err)
	}
	w := add("a.b", false)
	w.Wait = 50 * time.Millisecond
	var held *safefile.HeldError
	if _, err := st.Update(t.Context(), w); !errors.As(err, &held) || announced == 0 {
		t.Fatalf("the lock was taken before the write was announced (%d, %v)", announced, err)
	}
}
