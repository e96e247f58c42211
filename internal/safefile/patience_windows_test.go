package safefile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// TestPatienceOutlastsAnotherProgram writes and reads a file that another program has open without sharing it, for half a second.
func TestPatienceOutlastsAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories.md")
	root := folderAt(t, path)
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	hold := func() {
		name, _ := windows.UTF16PtrFromString(path)
		h, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(patience/2, func() { _ = windows.CloseHandle(h) })
	}
	hold()
	if _, err := ReadRegularFile(path, 10); err != nil {
		t.Error(err)
	}
	hold()
	if err := Write(root, "memories.md", []byte("b"), 0o600); err != nil {
		t.Error(err)
	}
	hold()
	if err := Rename(path, path+"2"); err != nil {
		t.Error(err)
	}
}
