package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	if dataFolder() == "" {
		t.Error("XDG_DATA_HOME alone is not enough")
	}
}

// TestFoldersWithoutProject keep their acts apart.
func TestFoldersWithoutProject(t *testing.T) {
	var dirs []string
	for range 2 {
		home := t.TempDir()
		ss, err := Open(context.Background(), Env{Dir: home, Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"HOME": home}[name]
		}})
		if err != nil || ss.Root() != "" {
			t.Fatalf("root %q, %v", ss.Root(), err)
		}
		user, err := ss.Get(t.Context(), User)
		if err != nil {
			t.Fatal(err)
		}
		rec := ss.newAct(User, "add", "", "")
		rec.state = actDone
		if err := user.log(rec.line(), false); err != nil {
			t.Fatal(err)
		}
		if acts, err := ss.Acts(t.Context()); err != nil || len(acts) != 1 {
			t.Errorf("acts %v, %v", acts, err)
		}
		dirs = append(dirs, ss.session().dir, ss.sessions().dir)
	}
	empty := filepath.Base((&Stores{}).outside("").dir)
	if dirs[0] == dirs[2] || dirs[1] == dirs[3] || filepath.Base(dirs[0]) == empty {
		t.Errorf("shared: %q", dirs)
	}
}
