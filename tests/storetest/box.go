// Package storetest makes projects for the tests of the store, and a person who works in them.
package storetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/gittest"
)

// Box is a project's folder, and a person working in it.
type Box struct {
	T    *testing.T
	Root string
	Said []string // what the store said while it worked
}

// Plain is a folder outside any repository.
func Plain(t *testing.T) *Box {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Box{T: t, Root: dir}
}

// Git is a repository whose first commit holds the memory file.
func Git(t *testing.T, memory string) *Box {
	t.Helper()
	b := Plain(t)
	g := &gittest.Box{T: t, Root: b.Root}
	g.Prepare(memory, func(g *gittest.Box) {
		g.Git("init", "-q")
		g.Write("other.txt", "one\n")
		g.Write(memfile.FileName, memory)
		g.Git("add", ".")
		g.Git("commit", "-q", "-m", "begin")
	})
	return b
}

// Git runs git in the folder and returns what it prints. A failure ends the test.
func (b *Box) Git(args ...string) string {
	b.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.Root
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.T.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write replaces a file.
func (b *Box) Write(name, text string) {
	b.T.Helper()
	if err := os.WriteFile(filepath.Join(b.Root, name), []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Read is a file's text.
func (b *Box) Read(name string) string {
	b.T.Helper()
	data, err := os.ReadFile(filepath.Join(b.Root, name))
	if err != nil {
		b.T.Fatal(err)
	}
	return string(data)
}

// Project opens the project's store as a new process would.
func (b *Box) Project() *store.Store { return b.ProjectWith(nil) }

// ProjectWith is project in an environment.
func (b *Box) ProjectWith(env map[string]string) *store.Store {
	return b.ProjectAs(func(e *store.Env) { e.Getenv = func(name string) string { return env[name] } })
}

// ProjectAs is project with what a door hands in changed.
func (b *Box) ProjectAs(change func(*store.Env)) *store.Store {
	b.T.Helper()
	env := store.Env{
		Dir: b.Root, Getenv: func(string) string { return "" },
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Talk: func(line string) { b.Said = append(b.Said, line) },
	}
	change(&env)
	ss, err := store.Open(context.Background(), env)
	if err != nil {
		b.T.Fatal(err)
	}
	st, err := ss.Get(context.Background(), store.Project)
	if err != nil {
		b.T.Fatal(err)
	}
	return st
}

// Subjects are those of all commits, the newest first.
func (b *Box) Subjects() []string {
	b.T.Helper()
	return strings.Split(b.Git("log", "--format=%s"), "\n")
}

// WithItem is a sound memory file with one item.
func WithItem(key, value string) string {
	return strings.Replace(memfile.Template, "  items: []\n", "  items:\n    - key: "+key+"\n      value: "+value+
		"\n      added: 2026-01-01\n      source: test\n      confidence: high\n", 1)
}

// Fill sets every field of v to something of its own, so that a field that
// the snapshot forgets or mixes up comes back different.
func Fill(v reflect.Value, n *int, depth int) {
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
		Fill(v.Elem(), n, depth)
	case reflect.Slice:
		if depth == 0 { // a value in a value in a value is enough
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			Fill(v.Index(i), n, depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				Fill(f, n, depth)
			}
		}
	}
}

// RunTests gives git and memctl a home of their own, so that nobody's settings decide what
// the tests see, and runs them.
func RunTests(m *testing.M) (status int) { return gittest.RunTests(m) }
