package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFoldedPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "Web"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "Web"), filepath.Join(dir, "link")
	ignores := func(a, b string) bool { return strings.EqualFold(a, b) }
	heeds := func(a, b string) bool { return a == b }
	if got := foldedPath(real, ignores); got != strings.ToLower(real) {
		t.Errorf("a volume that ignores case: %s", got)
	}
	if got := foldedPath(real, heeds); got != real {
		t.Errorf("a volume that does not: %s", got)
	}
	if got := foldedPath(filepath.Join(dir, "None"), ignores); got != filepath.Join(dir, "None") {
		t.Errorf("a folder that is not there: %s", got)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("wine makes links that are none")
	}
	if got := foldedPath(link, ignores); got != strings.ToLower(real) {
		t.Errorf("behind a link: %s", got)
	}
}
