package store

import (
	"context"
	"os"
	"testing"

	"github.com/adrg/xdg"

	"github.com/memctl/memctl/internal/fault"
)

// TestUnusableHome: no user store, and no folder made where memctl was started.
func TestUnusableHome(t *testing.T) {
	t.Cleanup(xdg.Reload)
	for _, home := range []string{"", "home", ".", "/"} {
		b := plainBox(t)
		t.Setenv("HOME", home)
		t.Setenv("XDG_DATA_HOME", "")
		t.Chdir(b.root)
		xdg.Reload()
		st := b.project()
		if _, err := st.ss.Get(context.Background(), User); !fault.Is(err, fault.Scope) {
			t.Errorf("HOME=%q: %v", home, err)
		}
		if got := st.ss.Scopes(); len(got) != 1 || got[0] != Project {
			t.Errorf("HOME=%q: scopes %q", home, got)
		}
		w := add("a.b", false)
		w.Create = true
		if _, err := st.Update(context.Background(), w); !fault.Is(err, fault.Scope) {
			t.Errorf("HOME=%q: a write without a lock: %v", home, err)
		}
		if list, err := os.ReadDir(b.root); err != nil || len(list) > 0 {
			t.Errorf("HOME=%q: made %v, %v", home, list, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	xdg.Reload()
	if plainBox(t).project().ss.DataDir() == "" {
		t.Error("XDG_DATA_HOME alone is not enough")
	}
}
