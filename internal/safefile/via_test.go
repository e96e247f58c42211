package safefile

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// folderVia opens the folder of the temporary files; nil where there is none.
func folderVia(dir string) *os.Root {
	root, _ := os.OpenRoot(dir)
	return root
}

// writeVia is a batch of one file.
func writeVia(root *os.Root, via, name string, was, data []byte, perm fs.FileMode) error {
	b := NewBatch(root, folderVia(via))
	_, err := b.Write(name, was, data, perm)
	return errors.Join(err, b.Close())
}

// TestWriteVia writes through another folder, and what a killed writer left in
// either is gone.
func TestWriteVia(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	via := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	left := tempOf(cmd.Process.Pid)
	for _, was := range [][]byte{nil, []byte("new")} {
		put(t, dir, left, "left")
		put(t, via, left, "left")
		if err := writeVia(root, via, "f.md", was, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir, "f.md", "new")
		if list, err := os.ReadDir(via); err != nil || len(list) > 0 {
			t.Errorf("left behind: %v, %v", list, err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("left beside the file: %v, %v", list, err)
		}
	}
	if err := writeVia(root, via, "f.md", nil, []byte("x"), 0o600); !fault.Is(err, fault.ChangedOnDisk) {
		t.Errorf("made meanwhile: %v", err)
	}
	if err := writeVia(root, via, "f.md", []byte("old"), []byte("x"), 0o600); !fault.Is(err, fault.ChangedOnDisk) {
		t.Errorf("changed meanwhile: %v", err)
	}
	wantFile(t, dir, "f.md", "new")
}

// TestWriteViaFallsBack: where the other folder is of no use, the file is
// written all the same.
func TestWriteViaFallsBack(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	ways := map[string]string{"missing": filepath.Join(dir, "nowhere")}
	if other, err := os.MkdirTemp("/dev/shm", "safefile-"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(other) })
		ways["another file system"] = other
	}
	was := []byte(nil)
	for name, via := range ways {
		if err := writeVia(root, via, "f.md", was, []byte(name), 0o600); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantFile(t, dir, "f.md", name)
		was = []byte(name)
	}
}

// TestLeftFilesGo: the file of a writer that is gone goes at once, that of one
// that runs stays.
func TestLeftFilesGo(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	dead := put(t, dir, tempOf(cmd.Process.Pid), "left")
	mine := put(t, dir, tempOf(os.Getpid()), "being written")
	if err := Write(root, "f.md", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("a dead writer's file stays")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("a running writer's file went")
	}
}
