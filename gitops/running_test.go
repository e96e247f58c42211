//go:build unix

package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// TestReadingEndsInItsTime: a git that hangs costs what was set aside for
// reading, once; writing has the whole time.
func TestReadingEndsInItsTime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\ntrap '' TERM\nsleep 30\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	all, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ctx := WithReadingUntil(all, time.Now().Add(50*time.Millisecond))
	for range 3 {
		if _, err := runGit(ctx, dir, os.Environ(), Call{Args: []string{"config"}}); !fault.Is(err, fault.Blocked) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("reading: %v", err)
		}
	}
	if all.Err() != nil {
		t.Error("the readings took the time of all the rest")
	}
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := runGit(ctx, dir, os.Environ(), Call{Args: []string{"commit"}, Writes: true}); string(out) != "done\n" || err != nil {
		t.Errorf("writing: %q, %v", out, err)
	}
}
