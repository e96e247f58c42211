//go:build unix

package testscripts

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoWriteThroughLinks puts a link to a person's file in the place of each file of local
// state, and runs what writes them.
func TestNoWriteThroughLinks(t *testing.T) {
	w := machine(t, prepare(t))
	precious := filepath.Join(w.home, "precious")
	const text = "{\"a\": \"file of the person's\"}\n"
	must(t, os.WriteFile(precious, []byte(text), 0o640))
	lines := []string{
		"add k.a one", "remember the-moon-is-round", "add --auto k.b two", "add k.c three --scope user", "add k.d four --scope private",
		"recall moon", "undo", "trust status", "review", "forget k.a", "doctor --fix",
	}
	events := slices.Sorted(maps.Keys(hookEvents))
	writes := func() {
		for _, line := range lines {
			w.memctl("", strings.Fields(line)...)
		}
		for _, event := range events {
			if o := w.run(event); o.status != 0 {
				t.Errorf("%s: status %d", event, o.status)
			}
		}
	}
	writes()
	files := stateFiles(t, w)
	if len(files) < 15 {
		t.Fatalf("only %d files of local state: %q", len(files), files)
	}
	if !everything() {
		lines, events = []string{"add k.a one", "add k.c three --scope user", "add k.d four --scope private", "recall moon", "undo"}, []string{"SessionStart"}
	}
	for _, file := range files {
		_ = os.Rename(file, file+".was") // a cache may have got another name since
		must(t, os.Symlink(precious, file))
		writes()
		got, err := os.ReadFile(precious)
		must(t, err)
		info, err := os.Stat(precious)
		must(t, err)
		if string(got) != text || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: memctl wrote through the link: %q %v", file, got, info.Mode())
			must(t, os.WriteFile(precious, []byte(text), 0o640))
		}
		must(t, os.RemoveAll(file))
		_ = os.Rename(file+".was", file)
	}
}

// stateFiles are the files in memctl's own folders.
func stateFiles(t *testing.T, w *world) (list []string) {
	t.Helper()
	for _, pattern := range []string{"repo/.git/memctl/*", "home/data/memctl/*", "home/data/memctl/*/.git/memctl/*", "home/data/memctl/*/*/.git/memctl/*"} {
		names, err := filepath.Glob(filepath.Join(w.dir, filepath.FromSlash(pattern)))
		must(t, err)
		for _, name := range names {
			info, err := os.Lstat(name)
			must(t, err)
			if info.Mode().IsRegular() {
				list = append(list, name)
			}
		}
	}
	return list
}
