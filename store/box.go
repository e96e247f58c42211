package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/memctl/memctl/memfile"
)

// box is a project's folder, and a person working in it.
type box struct {
	t    *testing.T
	root string
	said []string // what the store said while it worked
}

// plainBox is a folder outside any repository.
func plainBox(t *testing.T) *box {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &box{t: t, root: dir}
}

// gitBox is a repository whose first commit holds the memory file.
func gitBox(t *testing.T, memory string) *box {
	t.Helper()
	b := plainBox(t)
	b.git("init", "-q")
	b.write("other.txt", "one\n")
	b.write(memfile.FileName, memory)
	b.git("add", ".")
	b.git("commit", "-q", "-m", "begin")
	return b
}

func (b *box) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *box) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// project opens the project's store as a new process would.
func (b *box) project() *Store { return b.projectWith(nil) }

// projectWith is project in an environment.
func (b *box) projectWith(env map[string]string) *Store {
	return b.projectAs(func(e *Env) { e.Getenv = func(name string) string { return env[name] } })
}

// projectAs is project with what a door hands in changed.
func (b *box) projectAs(change func(*Env)) *Store {
	b.t.Helper()
	env := Env{
		Dir: b.root, Getenv: func(string) string { return "" },
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Talk: func(line string) { b.said = append(b.said, line) },
	}
	change(&env)
	ss, err := Open(context.Background(), env)
	if err != nil {
		b.t.Fatal(err)
	}
	st, err := ss.Get(context.Background(), Project)
	if err != nil {
		b.t.Fatal(err)
	}
	return st
}

func (b *box) subjects() []string {
	b.t.Helper()
	return strings.Split(b.git("log", "--format=%s"), "\n")
}

// withItem is a sound memory file with one item.
func withItem(key, value string) string {
	return strings.Replace(memfile.Template, "  items: []\n", "  items:\n    - key: "+key+"\n      value: "+value+
		"\n      added: 2026-01-01\n      source: test\n      confidence: high\n", 1)
}

// filled sets every field of v to something of its own, so that a field that
// the snapshot forgets or mixes up comes back different.
func filled(v reflect.Value, n *int, depth int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString("text " + strconv.Itoa(*n))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(1 + *n%5))
	case reflect.Bool:
		v.SetBool(*n%2 == 0)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n, depth)
	case reflect.Slice:
		if depth == 0 { // a value in a value in a value is enough
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i), n, depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				filled(f, n, depth)
			}
		}
	}
}

// runTests gives git and memctl a home of their own, so that nobody's settings decide what
// the tests see, and runs them.
func runTests(m *testing.M) (status int) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		os.Setenv("TMPDIR", "/dev/shm") // no disk below: waiting for fsync is most of the time else
	}
	home, err := os.MkdirTemp("", "store-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMCTL_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	os.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	xdg.Reload()
	identity := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	return m.Run()
}
