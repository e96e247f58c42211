package txn

import (
	"context"
	"os"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/tests/storetest"
)

// TestUnusableHome: no user store, and no folder made where memctl was started.
func TestUnusableHome(t *testing.T) {
	for _, home := range []string{"", "home", ".", "/"} {
		b := storetest.Plain(t)
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		t.Setenv("XDG_DATA_HOME", "")
		t.Chdir(b.Root)
		st := b.Project()
		if _, err := st.Stores.Get(context.Background(), store.User); !fault.Is(err, fault.Scope) {
			t.Errorf("HOME=%q: %v", home, err)
		}
		if got := st.Stores.Scopes(); len(got) != 1 || got[0] != store.Project {
			t.Errorf("HOME=%q: scopes %q", home, got)
		}
		w := add("a.b", false)
		w.Create = true
		if _, err := Update(context.Background(), st, w); !fault.Is(err, fault.Scope) {
			t.Errorf("HOME=%q: a write without a lock: %v", home, err)
		}
		if list, err := os.ReadDir(b.Root); err != nil || len(list) > 0 {
			t.Errorf("HOME=%q: made %v, %v", home, list, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if storetest.Plain(t).Project().Stores.DataDir() == "" {
		t.Error("XDG_DATA_HOME alone is not enough")
	}
}
