package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

// open gives a root in a temporary folder, and the folder's path.
func open(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// wantFile checks the content, and that no temporary file is left beside it.
func wantFile(t *testing.T, dir, name, want string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s = %q, %v; want %q", name, got, err, want)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), tempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	put(t, dir, "a/b.md", "hello")
	put(t, dir, "empty", "")
	for name, want := range map[string]string{"a/b.md": "hello", "a/../a/b.md": "hello", "empty": ""} {
		data, fi, err := Read(root, name, 5)
		if err != nil || string(data) != want || fi.Size() != int64(len(want)) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, _, err := Read(root, "nowhere", 5); !errors.Is(err, fs.ErrNotExist) || err.Error() != `"nowhere": `+syscall.ENOENT.Error() && runtime.GOOS != "windows" {
		t.Errorf("nowhere: %v", err)
	}
	if _, _, err := Read(root, "no/where", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no/where: %v", err)
	}
	if _, _, err := Read(root, "a/b.md", 4); !fault.Is(err, fault.TooLarge) || err.Error() != TooLarge("a/b.md", 5, 4).Error() {
		t.Errorf("too large: %v", err)
	}
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x"} {
		if data, _, err := Read(root, name, 1<<20); err == nil {
			t.Errorf("%s: %q", name, data)
		}
	}
}

// TestReadAllNoticesGrowth: the size was another when it was asked for.
func TestReadAllNoticesGrowth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, max, want int64 }{
		"as said":               {5, 10, 5},
		"longer than said":      {0, 10, 5},
		"longer than allowed":   {0, 3, 4},
		"exactly what is asked": {3, 5, 5},
		"nothing allowed":       {0, 0, 1},
	} {
		f, err := os.Open(put(t, t.TempDir(), "f", "hello"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(f, c.size, c.max)
		if err != nil || int64(len(got)) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNotAFile: what is no regular file is neither read nor replaced, and its
// kind is named.
func TestNotAFile(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	put(t, dir, "real/a.md", "hello")
	outside := put(t, t.TempDir(), "secret", "secret")
	for link, to := range map[string]string{
		"inside.md": "real/a.md", "outside.md": outside, "dangling.md": "nowhere", "folder": "real", "up": "..",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "up")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Skip("wine makes links that are none")
	}
	for name, kind := range map[string]string{
		"real": "a folder", "inside.md": "a symbolic link", "outside.md": "a symbolic link", "dangling.md": "a symbolic link",
		"folder/a.md": "a symbolic link", "up/x": "a symbolic link", "real/a.md/x": "a special file",
	} {
		data, _, err := Read(root, name, 100)
		not := fault.Find(err, fault.NotAFile)
		if not == nil || not.Thing != name {
			t.Errorf("Read(%s) = %q, %v", name, data, err)
		} else if kind != "a special file" && not.Why != kind {
			t.Errorf("%s: %v", name, err)
		}
		if err := Write(root, name, []byte("x"), 0o600); !errors.As(err, &not) {
			t.Errorf("Write(%s): %v", name, err)
		}
		if err := WriteIf(root, name, nil, []byte("x"), 0o600); !errors.As(err, &not) {
			t.Errorf("WriteIf(%s): %v", name, err)
		}
	}
	wantFile(t, dir, "real/a.md", "hello")
	if got, err := os.ReadFile(outside); err != nil || string(got) != "secret" {
		t.Errorf("outside = %q, %v", got, err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	if err := Write(root, "new.md", []byte("one"), 0o640); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, "new.md", "one")
	put(t, dir, "a b/ü.md", "old")
	if err := Write(root, "a b/ü.md", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFile(t, dir, "a b/ü.md", "new")
	if err := Write(root, "nowhere/x", []byte("x"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	for _, name := range []string{"../x", "/tmp/x", ".."} {
		if err := Write(root, name, []byte("x"), 0o600); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "x")); err == nil {
		t.Error("a file outside the root")
	}
}

func TestWriteIf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		disk    *string
		was     []byte
		changed bool
	}{
		"not there, as thought":    {nil, nil, false},
		"as it was":                {ptr("old"), []byte("old"), false},
		"empty, as it was":         {ptr(""), []byte{}, false},
		"made meanwhile":           {ptr("other"), nil, true},
		"made meanwhile, empty":    {ptr(""), nil, true},
		"removed meanwhile":        {nil, []byte("old"), true},
		"changed meanwhile":        {ptr("odd"), []byte("old"), true},
		"grown meanwhile":          {ptr("older"), []byte("old"), true},
		"cut meanwhile":            {ptr("ol"), []byte("old"), true},
		"not there, but was empty": {nil, []byte{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, dir := open(t)
			if c.disk != nil {
				put(t, dir, "f.md", *c.disk)
			}
			err := WriteIf(root, "f.md", c.was, []byte("new"), 0o600)
			if c.changed != fault.Is(err, fault.ChangedOnDisk) || !c.changed && err != nil {
				t.Fatalf("WriteIf: %v", err)
			}
			switch {
			case !c.changed:
				wantFile(t, dir, "f.md", "new")
			case c.disk != nil:
				wantFile(t, dir, "f.md", *c.disk)
			default:
				if _, err := os.Stat(filepath.Join(dir, "f.md")); err == nil {
					t.Error("made all the same")
				}
			}
		})
	}
}

func ptr(s string) *string { return &s }

// TestStaleFilesGo: what a crashed write left is removed after an hour, and
// hinders nothing before. Files of other names stay.
func TestStaleFilesGo(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	old := time.Now().Add(-2 * time.Hour)
	for name, isOld := range map[string]bool{".memctl-0011.tmp": true, ".memctl-0022.tmp": false, ".memctl.yaml": true, "x.tmp": true} {
		file := put(t, dir, name, "left")
		if isOld {
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Write(root, "f.md", []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{".memctl-0022.tmp", ".memctl.yaml", "f.md", "x.tmp"}
	if len(names) != len(want) {
		t.Fatalf("left: %q, want %q", names, want)
	}
	for i := range want {
		if names[i] != want[i] {
			t.Errorf("left: %q, want %q", names, want)
		}
	}
}

// TestWriteInParallel: of many that make a file that must not exist, one does.
func TestWriteInParallel(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	const rounds, writers = 20, 8
	for i := range rounds {
		name := fmt.Sprint(i)
		results := make(chan error, writers)
		for range writers {
			go func() { results <- WriteIf(root, name, nil, []byte("mine"), 0o600) }()
		}
		won := 0
		for range writers {
			err := <-results
			switch {
			case err == nil:
				won++
			case !fault.Is(err, fault.ChangedOnDisk):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d made the file", won)
		}
		wantFile(t, dir, name, "mine")
	}
}
