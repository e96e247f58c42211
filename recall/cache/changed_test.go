package cache

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestAnEditThatKeepsSizeAndTime: as `touch -r` leaves it.
func TestAnEditThatKeepsSizeAndTime(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing else tells of the change here")
	}
	b := newBox(t)
	b.put(memfile.FileName, memfile.Template)
	at := b.fact("the parser is hand written")
	b.age(at)
	if got := strings.Join(held(t, b.open()), "\n"); !strings.Contains(got, "hand") {
		t.Fatalf("got %s", got)
	}
	full := filepath.Join(b.dir, at)
	info, err := os.Lstat(full)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	b.put(at, strings.Replace(string(src), "hand", "well", 1))
	if err := os.Chtimes(full, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(held(t, b.open()), "\n"); strings.Contains(got, "hand") || !strings.Contains(got, "well") {
		t.Errorf("got %s", got)
	}
}
