package pulled_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/pulled"
)

func open(t *testing.T) *store.Stores {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	ss, err := store.Open(t.Context(), store.Env{Dir: t.TempDir(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

func TestKeepRefusesPathsOutsideItsFolder(t *testing.T) {
	ss := open(t)
	w, err := pulled.Write(t.Context(), ss)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, path := range []string{"../x", "a/../../x", "/x", "a//b", "", ".", "a/.git/config", "a/.GIT/hooks/x", `a\..\x`, "C:x", "a\x00b"} {
		if folder, err := w.Keep([]pulled.File{{Path: path, Data: []byte("x")}}); !fault.Is(err, fault.NotAFile) {
			t.Errorf("%q: kept in %q, %v", path, folder, err)
		}
	}
	long := strings.Repeat("x", 256)
	for _, paths := range [][]string{{"a/b", "a/b/c"}, {"a/b/c/d", "a/b"}, {"a/" + long}, {long + "/a"}} {
		var files []pulled.File
		for _, path := range paths {
			files = append(files, pulled.File{Path: path, Data: []byte("x")})
		}
		if folder, err := w.Keep(files); !fault.Is(err, fault.NotAFile) && (runtime.GOOS != "windows" || err == nil) { // which has its own words for a name
			t.Errorf("%q: kept in %q, %v", paths, folder, err)
		}
	}
	if folder, err := w.Keep([]pulled.File{{Path: "a/" + long[1:]}, {Path: "a/b"}, {Path: "a/bc/d"}}); err != nil || folder == "" {
		t.Error(err)
	}
	if folder, err := w.Keep([]pulled.File{{Path: "a/scripts/.hidden.sh", Data: []byte("x")}}); err != nil || folder == "" {
		t.Error(err)
	}
}

// TestACopyIsReplacedAsAWhole: without Save the last copy stays, and with it only what it has stays.
func TestACopyIsReplacedAsAWhole(t *testing.T) {
	ss := open(t)
	write := func(text string, save bool) string {
		t.Helper()
		w, err := pulled.Write(t.Context(), ss)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := w.Keep([]pulled.File{{Path: "a/SKILL.md", Data: []byte(text)}})
		if err == nil && save {
			err = w.Save(&pulled.Copy{Server: "s", Context: folder})
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	there := func(folder string) bool {
		data, err := os.ReadFile(filepath.Join(pulled.Dir(ss, folder), "a/SKILL.md"))
		return err == nil && len(data) > 0
	}
	first := write("one", true)
	broken := write("two", false)
	if got := pulled.Last(ss); got == nil || got.Context != first || !there(first) {
		t.Errorf("after a pull that broke off: %+v", got)
	}
	third := write("three", true)
	if got := pulled.Last(ss); got.Context != third || !there(third) || there(first) || there(broken) {
		t.Errorf("after the next one: %+v, %t %t %t", got, there(third), there(first), there(broken))
	}
	if again := write("three", true); again != third {
		t.Errorf("the same files are in %s and in %s", again, third)
	}
	if was, err := pulled.Remove(t.Context(), ss); !was || err != nil || pulled.Last(ss) != nil || there(third) {
		t.Errorf("%t %v", was, err)
	}
	if was, err := pulled.Remove(t.Context(), ss); was || err != nil {
		t.Errorf("%t %v", was, err)
	}
}

func TestTheListDecidesWhichRepositoryWins(t *testing.T) {
	skill := func(remote, scope string) pulled.Skill {
		return pulled.Skill{Name: "a", Repository: remote, Remote: remote, Root: "root of " + remote, Scope: scope}
	}
	list := []pulled.Skill{skill("x", "project"), skill("y", "project"), skill("z", "project"), skill("own", "user")}
	listed := []string{"z", "root of y"}
	pulled.Sort(list, listed)
	got := ""
	for _, s := range list {
		got += s.Repository + " "
		if s.Trusted(listed) != (s.Repository != "x") {
			t.Errorf("%s: trusted %t", s.Repository, s.Trusted(listed))
		}
	}
	if got != "own z y x " {
		t.Errorf("%q", got)
	}
}

// TestADamagedFolderIsWrittenAgain changes a folder of the copy in several ways, and lets the next writer keep the same files.
func TestADamagedFolderIsWrittenAgain(t *testing.T) {
	ss := open(t)
	files := []pulled.File{{Path: "a/SKILL.md", Data: []byte("text")}, {Path: "a-b/x", Data: []byte("x")}, {Path: "a/run.sh", Data: []byte("run")}}
	keep := func(check func(*pulled.Writer)) string {
		t.Helper()
		w, err := pulled.Write(t.Context(), ss)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if check != nil {
			check(w)
		}
		folder, err := w.Keep(files)
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	folder := keep(nil)
	at := func(name string) string { return filepath.Join(pulled.Dir(ss, folder), name) }
	for what, change := range map[string]func() error{
		"nothing":          func() error { return nil },
		"a changed file":   func() error { return os.WriteFile(at("a/SKILL.md"), []byte("TEXT"), 0o600) },
		"a longer file":    func() error { return os.WriteFile(at("a/SKILL.md"), []byte("text and more"), 0o600) },
		"a missing file":   func() error { return os.Remove(at("a/SKILL.md")) },
		"one more file":    func() error { return os.WriteFile(at("a/evil.sh"), nil, 0o600) },
		"a missing folder": func() error { return os.RemoveAll(at("")) },
		"a file for it":    func() error { return errors.Join(os.RemoveAll(at("")), os.WriteFile(at(""), nil, 0o600)) },
		"a link": func() error {
			return errors.Join(os.Rename(at("a/run.sh"), at("../run.sh")), os.Symlink("../../run.sh", at("a/run.sh")))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		again := keep(func(w *pulled.Writer) {
			if w.Has(folder) != (what == "nothing") {
				t.Errorf("after %s: Has is %t", what, w.Has(folder))
			}
		})
		if again != folder {
			t.Errorf("after %s: another folder, %s", what, again)
		}
		for _, f := range files {
			if data, err := os.ReadFile(at(f.Path)); err != nil || string(data) != string(f.Data) {
				t.Errorf("after %s: %s has %q, %v", what, f.Path, data, err)
			}
		}
		if _, err := os.Stat(at("a/evil.sh")); err == nil {
			t.Errorf("after %s: a file is left", what)
		}
	}
}
