//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestBrowserLeadsAGroupOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	pipe, name := filepath.Join(dir, "pipe"), "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	// A process leads a group of its own if the group has its id.
	script := "#!/bin/sh\n{ echo \"$*\"; kill -0 -$$ && echo leads; } >'" + pipe + "' 2>&1\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	openBrowser("http://127.0.0.1:7000/once/")
	said, err := os.ReadFile(pipe)
	if err != nil || string(said) != "http://127.0.0.1:7000/once/\nleads\n" {
		t.Errorf("%s, %v", said, err)
	}
}
