package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// TestUnwritable: what the system says of the right to write becomes an error
// with a way out that the scope has, and nothing else does.
func TestUnwritable(t *testing.T) {
	st := gitBox(t, withItem("a.b", "one")).project()
	for scope, way := range map[string]string{Project: "--scope user", User: "--store FOLDER", Only: "outside the sandbox"} {
		st.Scope = scope
		for _, cause := range []error{&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES}, fmt.Errorf("%q: %w", "lock", syscall.EROFS)} {
			err := st.unwritable(cause)
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.GitFolderNotWritable || e.Thing != st.Repo.CommonDir {
				t.Errorf("%s: %v", scope, err)
			}
			if said := err.Error(); !strings.Contains(said, way) || scope == User && strings.Contains(said, "--scope user") || strings.Contains(said, "mkdir") {
				t.Errorf("%s: %s", scope, said)
			}
		}
	}
	if err := st.unwritable(syscall.ENOSPC); err != syscall.ENOSPC {
		t.Errorf("a full disk became %v", err)
	}
}

// TestReadOnlyGitFolder is the sandbox itself.
func TestReadOnlyGitFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := gitBox(t, withItem("a.b", "one"))
	dir := filepath.Join(b.root, ".git")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	if _, err := b.project().Update(context.Background(), add("a.c", false)); !fault.Is(err, fault.GitFolderNotWritable) {
		t.Errorf("got %v", err)
	}
}
