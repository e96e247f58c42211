package txn

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
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/tests/storetest"
)

// TestUnwritable: what the system says of the right to write becomes an error
// with a way out that the scope has, and nothing else does.
func TestUnwritable(t *testing.T) {
	st := storetest.Git(t, storetest.WithItem("a.b", "one")).Project()
	for scope, way := range map[string]string{store.Project: "--scope user", store.User: "--store FOLDER", store.Only: "outside the sandbox"} {
		st.Scope = scope
		for _, cause := range []error{&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES}, fmt.Errorf("%q: %w", "lock", syscall.EROFS)} {
			err := st.Unwritable(cause)
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.GitFolderNotWritable || e.Thing != st.Repo.CommonDir {
				t.Errorf("%s: %v", scope, err)
			}
			if said := err.Error(); !strings.Contains(said, way) || scope == store.User && strings.Contains(said, "--scope user") || strings.Contains(said, "mkdir") {
				t.Errorf("%s: %s", scope, said)
			}
		}
	}
	if err := st.Unwritable(syscall.ENOSPC); err != syscall.ENOSPC {
		t.Errorf("a full disk became %v", err)
	}
}

// TestReadOnlyGitFolder is the sandbox itself.
func TestReadOnlyGitFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	dir := filepath.Join(b.Root, ".git")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	if _, err := Update(context.Background(), b.Project(), add("a.c", false)); !fault.Is(err, fault.GitFolderNotWritable) {
		t.Errorf("got %v", err)
	}
}
