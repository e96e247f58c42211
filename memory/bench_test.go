package memory_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

// bench is a folder, a person in it, and a data folder of its own.
type bench struct {
	t    *testing.T
	root string
	env  map[string]string
	only string // --store
	now  time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root, err := os.MkdirTemp("", "bench-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "data"))
	b := &bench{t: t, root: filepath.Join(root, "work"), env: map[string]string{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// repository is a bench whose folder is a repository with this memory file;
// "" for none.
func repository(t *testing.T, memory string) *bench {
	t.Helper()
	b := newBench(t)
	b.git("init", "-q")
	b.write("other.txt", "one\n")
	if memory != "" {
		b.write(memfile.FileName, memory)
	}
	b.git("add", ".")
	b.git("commit", "-q", "-m", "begin")
	return b
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// memory is the memory file, "" where there is none.
func (b *bench) memory() string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, memfile.FileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	return string(data)
}

// open is a session as a new process would begin it.
func (b *bench) open() *store.Stores {
	b.t.Helper()
	ss, err := store.Open(b.t.Context(), store.Env{
		Dir: b.root, StoreDir: b.only, Getenv: func(name string) string { return b.env[name] }, Now: func() time.Time { return b.now },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return ss
}

func from(kind string) memory.Options {
	return memory.Options{Origin: memory.Origin{Kind: kind, Name: "claude"}}
}

func (b *bench) add(kind, key, value string) memory.Write {
	b.t.Helper()
	w, err := edit.Add(b.t.Context(), b.open(), edit.Request{Options: from(kind), Key: key, Value: memfile.Str(value)})
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

func (b *bench) waiting() []view.Waiting {
	b.t.Helper()
	r, err := view.Review(b.t.Context(), b.open(), contents.Person, "")
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Waiting
}

// itemText is one item as it stands in the template's list.
func itemText(key, value string, fields ...string) string {
	text := "    - key: " + key + "\n      value: " + value + "\n      added: 2026-01-01\n      source: test\n"
	if !strings.Contains(strings.Join(fields, "\n"), "confidence:") {
		text += "      confidence: high\n"
	}
	for _, f := range fields {
		text += "      " + f + "\n"
	}
	return text
}

func fileOf(items ...string) string {
	return strings.Replace(memfile.Template, "  items: []\n", "  items:\n"+strings.Join(items, ""), 1)
}
