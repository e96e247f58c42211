package safefile

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// star is what no name on Windows has.
var star = map[bool]string{true: "*"}[runtime.GOOS == "windows"]

func TestGlobTakesNoFolderForAPattern(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.TrimSuffix("a[b]*", star), "c")
	for _, name := range []string{"one/x.lock", "two/x.lock", "two/y"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(dir, "one", "x.lock"), filepath.Join(dir, "two", "x.lock")}
	if got := Glob(dir, "*/*.lock"); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := Glob(filepath.Join(dir, "none"), "*"); len(got) > 0 {
		t.Errorf("in no folder: %q", got)
	}
}
