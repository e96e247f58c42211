package safefile

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// fullDiskChild runs in a process of its own, since the limit is for all of it.
func fullDiskChild(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 4096, Max: 4096}
	const fileSize = 1 // RLIMIT_FSIZE
	if err := syscall.Setrlimit(fileSize, &limit); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "f.md", make([]byte, 8192), 0o600); !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("Write: %v", err)
	}
}
