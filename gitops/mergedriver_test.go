package gitops

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetMergeDriver keeps what stands in info/attributes, and does nothing the
// second time.
func TestSetMergeDriver(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(dir, ".git", "info", "attributes")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("*.png binary\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := r.MergeDriver(ctx); there || err != nil {
		t.Fatalf("before: %v, %v", there, err)
	}
	for i, want := range []bool{true, false} {
		if changed, err := r.SetMergeDriver(ctx); changed != want || err != nil {
			t.Fatalf("time %d: %v, %v", i+1, changed, err)
		}
	}
	src, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(src), "*.png binary\n") || strings.Count(string(src), "memories.md merge=memctl") != 1 {
		t.Errorf("attributes: %v\n%s", err, src)
	}
	out, err := exec.Command("git", "-C", dir, "check-attr", "merge", "memories.md", "memories/notes/2026/x.md", "src/memories.go").Output()
	want := "memories.md: merge: memctl\nmemories/notes/2026/x.md: merge: memctl\nsrc/memories.go: merge: unspecified\n"
	if err != nil || string(out) != want {
		t.Errorf("check-attr: %v\n%s", err, out)
	}
}
