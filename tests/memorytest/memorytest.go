// Package memorytest plays a person in a folder or repository, for the tests of the acts.
package memorytest

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
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

// Bench is a folder, a person in it, and a data folder of its own.
type Bench struct {
	T    *testing.T
	Root string
	Env  map[string]string
	Only string // --store
	Now  time.Time
}

func New(t *testing.T) *Bench {
	t.Helper()
	root, err := os.MkdirTemp("", "bench-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "data"))
	b := &Bench{T: t, Root: filepath.Join(root, "work"), Env: map[string]string{}, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(b.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// Repository is a bench whose folder is a repository with this memory file;
// "" for none.
func Repository(t *testing.T, memory string) *Bench {
	t.Helper()
	b := New(t)
	b.Git("init", "-q")
	b.Write("other.txt", "one\n")
	if memory != "" {
		b.Write(memfile.FileName, memory)
	}
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "begin")
	return b
}

func (b *Bench) Git(args ...string) string {
	b.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.Root
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.T.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *Bench) Write(name, text string) {
	b.T.Helper()
	if err := os.WriteFile(filepath.Join(b.Root, name), []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Memory is the memory file, "" where there is none.
func (b *Bench) Memory() string {
	b.T.Helper()
	data, err := os.ReadFile(filepath.Join(b.Root, memfile.FileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.T.Fatal(err)
	}
	return string(data)
}

// Open is a session as a new process would begin it.
func (b *Bench) Open() *store.Stores {
	b.T.Helper()
	ss, err := store.Open(b.T.Context(), store.Env{
		Dir: b.Root, StoreDir: b.Only, Getenv: func(name string) string { return b.Env[name] }, Now: func() time.Time { return b.Now },
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return ss
}

func From(kind string) memory.Options {
	return memory.Options{Origin: memory.Origin{Kind: kind, Name: "claude"}}
}

func (b *Bench) Add(kind, key, value string) memory.Write {
	b.T.Helper()
	w, err := edit.Add(b.T.Context(), b.Open(), edit.Request{Options: From(kind), Key: key, Value: memfile.Str(value)})
	if err != nil {
		b.T.Fatal(err)
	}
	return w
}

func (b *Bench) Waiting() []view.Waiting {
	b.T.Helper()
	r, err := view.Review(b.T.Context(), b.Open(), contents.Person, "")
	if err != nil {
		b.T.Fatal(err)
	}
	return r.Waiting
}

// ItemText is one item as it stands in the template's list.
func ItemText(key, value string, fields ...string) string {
	text := "    - key: " + key + "\n      value: " + value + "\n      added: 2026-01-01\n      source: test\n"
	if !strings.Contains(strings.Join(fields, "\n"), "confidence:") {
		text += "      confidence: high\n"
	}
	for _, f := range fields {
		text += "      " + f + "\n"
	}
	return text
}

func FileOf(items ...string) string {
	return strings.Replace(memfile.Template, "  items: []\n", "  items:\n"+strings.Join(items, ""), 1)
}

// Bootstrap is a start, which may not fail.
func (b *Bench) Bootstrap(req briefing.BootstrapRequest) briefing.BootstrapResult {
	b.T.Helper()
	r, err := briefing.Bootstrap(b.T.Context(), b.Open(), req)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// Mkdir makes a folder.
func (b *Bench) Mkdir(name string) {
	b.T.Helper()
	if err := os.MkdirAll(filepath.Join(b.Root, name), 0o755); err != nil {
		b.T.Fatal(err)
	}
}
