package safefile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestWriterBesideReader: each write and each read succeeds, although Windows lets a reader that does not share the file keep a
// writer from it.
func TestWriterBesideReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories.md")
	root := folderAt(t, path)
	text := make([]byte, 4096)
	if err := Write(root, "memories.md", text, 0o600); err != nil {
		t.Fatal(err)
	}
	stop, read := make(chan bool), make(chan error)
	go func() {
		var failed error
		for reads := 0; ; reads++ {
			select {
			case <-stop:
				if reads == 0 {
					failed = errors.New("nothing was read")
				}
				read <- failed
				return
			default:
			}
			if reads%2 == 0 {
				if data, err := ReadRegularFile(path, 1<<20); err != nil || len(data) != len(text) {
					failed = errors.Join(failed, err)
				}
			} else if _, _, err := Read(root, "memories.md", 1<<20); err != nil {
				failed = errors.Join(failed, err)
			}
			time.Sleep(time.Millisecond) // in which a reader uses what it read; wine renames only over a file that nobody has open
			if reads%100 > 0 {
				continue
			}
			if f, err := os.Open(path); err == nil { // an editor does not share it
				time.Sleep(time.Millisecond)
				_ = f.Close()
			}
		}
	}()
	failures := 0
	for range 500 {
		if err := Write(root, "memories.md", text, 0o600); err != nil {
			t.Log(err)
			failures++
		}
	}
	close(stop)
	if err := <-read; err != nil || failures > 0 {
		t.Errorf("%d of 500 writes failed, and of the reads %v", failures, err)
	}
}

func TestGoneTellsDeadProcesses(t *testing.T) {
	if gone(os.Getpid()) {
		t.Error("this process counts as gone")
	}
	c := exec.Command(os.Args[0], "-test.run=^$")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	if err := c.Wait(); err != nil || !gone(pid) {
		t.Errorf("a process that ended (%v) counts as running", err)
	}
}
