package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestTheCacheOfSettingsIsNoOlderThanItsFiles: another process changes a setting after this one has asked git, and before it
// writes the cache, as on a busy machine.
func TestTheCacheOfSettingsIsNoOlderThanItsFiles(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	config := filepath.Join(dir, ".git", "config")
	changed := func(ago time.Duration) {
		t.Helper()
		if err := os.Chtimes(config, time.Time{}, time.Now().Add(-ago)); err != nil {
			t.Fatal(err)
		}
	}
	open := func() *Stores {
		t.Helper()
		ss, err := Open(t.Context(), Env{Dir: dir, Getenv: os.Getenv, Now: time.Now, Talk: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		return ss
	}
	git("init", "-q")
	for _, change := range []bool{true, false} {
		git("config", PrivateID.Name, "before")
		changed(time.Hour)
		ss := open()
		ss.gitConfig(t.Context())
		ss.asked = ss.asked.Add(-time.Minute)
		if change {
			git("config", PrivateID.Name, "behind") // as long as before
			changed(30 * time.Second)
		}
		ss.LookupConfig(t.Context())
		if data, err := ss.inGitFolder(ss.repo.GitDir).Read(LookupFile); err != nil || (data == nil) != change {
			t.Errorf("changed: %v: the cache is %q, %v", change, data, err)
		}
	}
}
