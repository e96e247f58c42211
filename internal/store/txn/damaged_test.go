package txn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/tests/storetest"
)

// TestDamagedState: each file of local state that an act reads, and a folder in its
// place, is found, and in nobody's way once it has another name.
func TestDamagedState(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	must(b, add("c.d", false))
	for _, f := range stateFiles(b.Project()) {
		if filepath.Base(f.path) == contents.MachineKey {
			continue // every test's
		}
		_ = os.RemoveAll(f.path)
		if err := os.MkdirAll(f.path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	st := b.Project()
	if got, want := len(DamagedState(st)), len(stateFiles(st))-1; got != want {
		t.Fatalf("%d faults, want %d: %v", got, want, DamagedState(st))
	}
	for _, f := range stateFiles(st) {
		if filepath.Base(f.path) == contents.MachineKey {
			continue
		}
		if err := os.Rename(f.path, f.path+".damaged"); err != nil {
			t.Fatal(err)
		}
	}
	if faults := DamagedState(b.Project()); len(faults) > 0 {
		t.Errorf("left: %v", faults)
	}
	if out := must(b, add("e.f", false)); out.Commit == "" {
		t.Errorf("got %+v", out)
	}
}
