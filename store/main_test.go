package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"github.com/memctl/memctl/memfile"
)

// TestMain gives git and memctl a home of their own, so that nobody's settings
// decide what the tests see. Run as a child, it holds a lock instead: see
// TestLockNamesTheHolder.
func TestMain(m *testing.M) {
	if path := os.Getenv("STORE_TEST_HOLD"); path != "" {
		os.Exit(holdAsChild(path))
	}
	if dir := os.Getenv("STORE_TEST_ADD"); dir != "" {
		os.Exit(addAsChild(dir))
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		os.Setenv("TMPDIR", "/dev/shm") // no disk below: waiting for fsync is most of the time else
	}
	home, err := os.MkdirTemp("", "store-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
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
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(home)
	os.Exit(status)
}

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

func (b *box) projectWith(env map[string]string) *Store {
	b.t.Helper()
	ss, err := Open(context.Background(), Env{
		Dir: b.root, Getenv: func(name string) string { return env[name] },
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Talk: func(line string) { b.said = append(b.said, line) },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	st, err := ss.Get(context.Background(), Project)
	if err != nil {
		b.t.Fatal(err)
	}
	return st
}

// add is a write that adds an item; automatic as an agent's own would be.
func add(key string, automatic bool) Write {
	return Write{Act: "add", Keys: []string{key}, Source: "test", Clean: automatic, Wait: time.Second, Change: func(doc *memfile.Document) error {
		doc.Items = append(doc.Items, memfile.Item{Key: key, Value: memfile.Str("value of " + key), Added: "2026-03-01", Source: "test", Confidence: memfile.High})
		return nil
	}}
}

// must is a write that shall succeed.
func (b *box) must(w Write) Outcome {
	b.t.Helper()
	out, err := b.project().Update(context.Background(), w)
	if err != nil {
		b.t.Fatalf("%s: %v", w.Act, err)
	}
	return out
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
