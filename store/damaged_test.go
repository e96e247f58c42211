package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDamagedListOfWaiting: writes that wait are committed under their own names,
// from the journal, where the list of them is damaged.
func TestDamagedListOfWaiting(t *testing.T) {
	for name, damage := range map[string]string{"empty": "", "cut short": `{"writes":[{`, "of another form": "[]"} {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			b.merging()
			b.must(add("c.d", false))
			b.must(add("e.f", false))
			b.must(manyFacts(3))
			at := b.project().worktree().path(deferredFile)
			if err := os.WriteFile(at, []byte(damage), 0o600); err != nil {
				t.Fatal(err)
			}
			if faults := b.project().DamagedState(); len(faults) != 1 || !strings.Contains(faults[0].Error(), deferredFile) {
				t.Errorf("faults: %v", faults)
			}
			b.git("commit", "-q", "-m", "merged")
			out := b.must(add("g.h", false))
			if len(out.Notes) != 1 || out.Commit == "" || b.git("status", "--porcelain") != "" {
				t.Errorf("notes %q, commit %q, tree %q", out.Notes, out.Commit, b.git("status", "--porcelain"))
			}
			said := b.git("log", "-1", "--skip=1", "--format=%B")
			for _, want := range []string{"commit what waited (3)", "Memory-Key: c.d", "Memory-Key: e.f", "Memory-Act: import"} {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in the commit of what waited:\n%s", want, said)
				}
			}
			kept, _ := filepath.Glob(at + ".damaged-*")
			if len(kept) != 1 || len(b.project().DamagedState()) != 0 {
				t.Errorf("kept as %q; faults %v", kept, b.project().DamagedState())
			}
		})
	}
}

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
