package statedir

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// TestKeptFolderIsLookedAtAgain: a folder that is kept open is not used any more once another one,
// or a link, has its place.
func TestKeptFolderIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	d := Dir{Folder: filepath.Join(top, "memctl"), Top: top, Kept: &Kept{}}
	want := func(text string) {
		t.Helper()
		if data, err := d.Read("name"); err != nil || string(data) != text {
			t.Fatalf("read %q, %v, want %q", data, err, text)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := d.Write("name", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	want("one")
	if len(d.Kept.folders) != 1 {
		t.Errorf("%d folders are kept, want 1", len(d.Kept.folders))
	}
	if err := os.RemoveAll(d.Folder); err != nil {
		t.Fatal(err)
	}
	want("")
	write("two")
	want("two")
	if runtime.GOOS == "windows" {
		return // links need a privilege
	}
	if err := os.Rename(d.Folder, d.Folder+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(d.Folder+".away", d.Folder); err != nil {
		t.Fatal(err)
	}
	if data, err := d.Read("name"); !fault.Is(err, fault.LocalState) {
		t.Errorf("through a link: read %q, %v", data, err)
	}
}
