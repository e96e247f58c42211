package store

import (
	"os"
	"testing"
	"time"
)

// TestDamagedState: each file of local state that an act reads, and a folder in its
// place, is found, set aside, and in nobody's way then.
func TestDamagedState(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.must(add("c.d", false))
	for _, f := range b.project().stateFiles() {
		if f.name == machineKey {
			continue // every test's
		}
		at := f.in.path(f.name)
		_ = os.RemoveAll(at)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	st := b.project()
	if got, want := len(st.DamagedState()), len(st.stateFiles())-1; got != want {
		t.Fatalf("%d faults, want %d: %v", got, want, st.DamagedState())
	}
	if _, err := st.Settle(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if faults := b.project().DamagedState(); len(faults) > 0 {
		t.Errorf("left: %v", faults)
	}
	if out := b.must(add("e.f", false)); out.Commit == "" {
		t.Errorf("got %+v", out)
	}
}
