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
	t.Setenv("USERPROFILE", home)
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
		config, _ := ss.gitConfig(t.Context(), ss.repo)
		config.Asked = config.Asked.Add(-time.Minute)
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

// TestAnIdentityThatIsBorrowedIsNotCached: the settings of a store of our own are cached if they name somebody, and not if the
// session's repository does.
func TestAnIdentityThatIsBorrowedIsNotCached(t *testing.T) {
	for _, own := range []bool{true, false} {
		home, dir := t.TempDir(), t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		t.Setenv("XDG_CONFIG_HOME", home)
		t.Setenv("XDG_DATA_HOME", home)
		user := filepath.Join(home, "memctl", "user")
		git := func(args ...string) {
			t.Helper()
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
		}
		git("init", "-q", dir)
		git("init", "-q", user)
		for key, value := range map[string]string{"user.name": "Ada", "user.email": "ada@example.com"} {
			if own {
				git("config", "--global", key, value)
			} else {
				git("-C", dir, "config", key, value)
			}
		}
		for _, file := range []string{filepath.Join(user, ".git", "config"), filepath.Join(dir, ".git", "config"), filepath.Join(home, ".gitconfig")} {
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		ss, err := Open(t.Context(), Env{Dir: dir, Getenv: os.Getenv, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		st, err := ss.Get(t.Context(), User)
		if err != nil || st.Repo == nil {
			t.Fatal(st, err)
		}
		if l := st.GitConfig(t.Context()); !l.Person || l.Commits.Author.Name != "Ada" {
			t.Errorf("own %v: %+v", own, l)
		}
		if data, err := ss.inGitFolder(st.Repo.GitDir).Read(LookupFile); err != nil || (data != nil) != own {
			t.Errorf("own %v: the cache is %q, %v", own, data, err)
		}
	}
}
