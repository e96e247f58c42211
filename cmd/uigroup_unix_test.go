//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestBrowserGetsAPrivateFileAndItsOwnGroup(t *testing.T) {
	dir := t.TempDir()
	pipe, name := filepath.Join(dir, "pipe"), "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	// A process leads a group of its own if the group has its id.
	script := "#!/bin/sh\n{ echo \"$*\"; kill -0 -$$ && echo leads; cat \"$1\"; } >'" + pipe + "' 2>&1\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", dir)
	end := openBrowser("http://127.0.0.1:7000/secret/")
	said, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	file, rest, _ := strings.Cut(string(said), "\n")
	if strings.Contains(file, "secret") || !strings.HasPrefix(rest, "leads\n") || !strings.Contains(rest, "url=http://127.0.0.1:7000/secret/") {
		t.Errorf("%s", said)
	}
	for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
	end()
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Error("the file is still there:", err)
	}
}
