package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFoldedPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "Web"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "Web"), filepath.Join(dir, "link")
	ignores := func(a, b string) bool { return strings.EqualFold(a, b) }
	heeds := func(a, b string) bool { return a == b }
	if got := foldedPath(real, ignores); got != strings.ToLower(real) {
		t.Errorf("a volume that ignores case: %s", got)
	}
	if got := foldedPath(real, heeds); got != real {
		t.Errorf("a volume that does not: %s", got)
	}
	if got := foldedPath(filepath.Join(dir, "None"), ignores); got != filepath.Join(dir, "None") {
		t.Errorf("a folder that is not there: %s", got)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("wine makes links that are none")
	}
	if got := foldedPath(link, ignores); got != strings.ToLower(real) {
		t.Errorf("behind a link: %s", got)
	}
}

func TestStateUnderAnOlderKeyIsMoved(t *testing.T) {
	below := t.TempDir()
	ss := &Stores{}
	key, older := filepath.Join(below, "key"), filepath.Join(below, "older")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		data, _ := os.ReadFile(name)
		return string(data)
	}
	write(filepath.Join(older, "a"), "a")
	if ss.moveState(older, key); read(filepath.Join(key, "a")) != "a" {
		t.Error("the state was not moved")
	}
	if ss.moveState(older, key); read(filepath.Join(key, "a")) != "a" {
		t.Error("a second look lost the state")
	}
	write(filepath.Join(older, "a"), "other")
	write(filepath.Join(older, "b"), "b")
	ss.moveState(older, key)
	if read(filepath.Join(key, "a")) != "a" || read(filepath.Join(key, "b")) != "b" || read(filepath.Join(older, "a")) != "other" {
		t.Error("of two states, one was lost")
	}
	write(filepath.Join(older, "c"), "c")
	ss.env.DryRun = true
	if ss.moveState(older, key); read(filepath.Join(older, "c")) != "c" {
		t.Error("a dry run moves state")
	}
}
