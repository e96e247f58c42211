package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// box is one store in a folder of its own.
type box struct {
	t   *testing.T
	dir string
	st  *store.Store
	req Request
}

func newBox(t *testing.T) *box {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("USERPROFILE", filepath.Join(dir, "home"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	b := &box{t: t, dir: filepath.Join(dir, "store")}
	if err := os.MkdirAll(filepath.Join(b.dir, ".git"), 0o755); err != nil { // state stands beside, as in a repository
		t.Fatal(err)
	}
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\trepositoryformatversion = 0\n"} {
		b.put(name, text)
	}
	for _, name := range []string{".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(b.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.req = Request{MarkdownGlobs: []string{"MEMORY.md", "memory/**/*.md"}}
	return b
}

func (b *box) put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) fact(text string) string {
	b.t.Helper()
	e := entry.Entry{ID: entry.ContentID(text), Role: entry.RoleFact, Conversation: "project", Created: "2026-02-21T09:03:00.000Z", Text: text}
	src, err := entry.Print(e)
	if err != nil {
		b.t.Fatal(err)
	}
	b.put(e.Path(), string(src))
	return e.Path()
}

// age makes the files and folders as old as if nothing had happened for a
// minute, so that no time is too young to be trusted.
func (b *box) age(paths ...string) {
	b.t.Helper()
	for _, p := range paths {
		full := filepath.Join(b.dir, p)
		info, err := os.Lstat(full)
		if err != nil {
			b.t.Fatal(err)
		}
		when := info.ModTime().Add(-time.Minute)
		if err := os.Chtimes(full, when, when); err != nil {
			b.t.Fatal(err)
		}
	}
}

// ageAll is age for every file of memory: what is written in one moment would be read again at the next opening.
func (b *box) ageAll() {
	b.t.Helper()
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, ".git") {
			return err
		}
		if info, err := d.Info(); err != nil || time.Since(info.ModTime()) > 50*time.Second {
			return err // of an earlier call
		}
		rel, err := filepath.Rel(b.dir, path)
		b.age(rel)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// open opens the library as a new process would.
func (b *box) open() *Library {
	b.t.Helper()
	ss, err := store.Open(context.Background(), store.Env{Dir: b.dir, Getenv: func(string) string { return "" }, Now: time.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.st, err = ss.Get(context.Background(), store.Project); err != nil {
		b.t.Fatal(err)
	}
	b.req.Stores = []*store.Store{b.st}
	lib, err := Open(context.Background(), b.req)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { lib.Close() })
	return lib
}

// held are the library's docs, one line each, sorted.
func held(t *testing.T, lib *Library) []string {
	t.Helper()
	var list []string
	for d, err := range lib.Docs() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s %s %s %q", d.Tier, d.Path, d.ID, d.Text))
	}
	slices.Sort(list)
	return list
}

func (b *box) segments() []string {
	names, err := filepath.Glob(filepath.Join(b.dir, ".git/memctl/recall-*.seg"))
	if err != nil {
		b.t.Fatal(err)
	}
	return names
}

func TestEveryKindOfFileIsFound(t *testing.T) {
	b := newBox(t)
	b.put(memfile.FileName, strings.Replace(memfile.Template, "items: []", "items:\n    - key: build.tool\n      value: make\n      confidence: high\n    - key: api.key\n      value: AKIAIOSFODNN7REALKEY\n", 1))
	b.fact("Builds need Go 1.26.")
	b.put("memories/entries/deleted/project/facts/x.md", "---\nid: \"x\"\nrole: memory\n---\nGone.\n")
	b.put("MEMORY.md", "# Notes\n\nDeploys run on Fridays.\n")
	b.put("memory/a/b.md", "The cache lives in Redis.\n")
	b.put("memory/a/b.txt", "Not Markdown.\n")
	b.put("memory/.hidden/c.md", "Hidden.\n")
	b.put("elsewhere/d.md", "Not asked for.\n")
	got := strings.Join(held(t, b.open()), "\n")
	for _, want := range []string{`item memories.md build.tool "make"`, `"Builds need Go 1.26."`, `file MEMORY.md#L1-L3`, `file memory/a/b.md#L1-L1`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing of\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 4 {
		t.Errorf("%d docs, want 4:\n%s", n, got)
	}
}

func TestNothingIsReadAgainWithoutAChange(t *testing.T) {
	b := newBox(t)
	path := b.fact("Builds need Go 1.26.")
	dir := filepath.Dir(path)
	b.age(path, dir, filepath.Dir(dir), "memories/entries", "memories")
	b.open()
	first := b.segments()
	if len(first) != 1 {
		t.Fatalf("segments %v, want one", first)
	}
	before, err := os.ReadFile(filepath.Join(b.dir, ".git/memctl/recall.list"))
	if err != nil {
		t.Fatal(err)
	}
	if lib := b.open(); lib.Len() != 1 || !slices.Equal(b.segments(), first) {
		t.Fatalf("%d docs in %v, want the one in %v", lib.Len(), b.segments(), first)
	}
	after, err := os.ReadFile(filepath.Join(b.dir, ".git/memctl/recall.list"))
	if err != nil || string(before) != string(after) {
		t.Errorf("the list was written again (%v)", err)
	}
	b.fact("Tests need git.")
	if lib := b.open(); lib.Len() != 2 || len(b.segments()) != 2 || !slices.Contains(b.segments(), first[0]) {
		t.Fatalf("%d docs in %v, want 2 in that segment and a new one", lib.Len(), b.segments())
	}
}

func TestCacheFollowsTheFolder(t *testing.T) {
	b := newBox(t)
	random := rand.New(rand.NewPCG(1, 2))
	var live []string
	for step := range 150 {
		switch n := random.IntN(10); {
		case n < 5 || len(live) == 0:
			live = append(live, b.fact(fmt.Sprintf("Fact number %d of the project.", step)))
		case n < 7:
			i := random.IntN(len(live))
			if err := os.Remove(filepath.Join(b.dir, live[i])); err != nil {
				t.Fatal(err)
			}
			live = slices.Delete(live, i, i+1)
		case n < 8:
			i := random.IntN(len(live))
			src, err := os.ReadFile(filepath.Join(b.dir, live[i]))
			if err != nil {
				t.Fatal(err)
			}
			b.put(live[i], strings.Replace(string(src), "number", "edited number", 1))
			b.age(live[i]) // in place, with a time of long ago
		case n < 9:
			b.put(memfile.FileName, strings.Replace(memfile.Template, "items: []", fmt.Sprintf("items:\n    - key: step.now\n      value: step %d\n      confidence: high\n", step), 1))
		default:
			b.put(fmt.Sprintf("memory/%d/page.md", random.IntN(3)), fmt.Sprintf("Page of step %d.\n", step))
		}
		if random.IntN(3) > 0 {
			continue
		}
		got := held(t, b.open())
		if err := RemoveIndex(b.st); err != nil {
			t.Fatal(err)
		}
		kept := b.segments()
		if len(kept) != 0 {
			t.Fatalf("step %d: forgetting left %v", step, kept)
		}
		want := held(t, b.open())
		if !slices.Equal(got, want) {
			t.Fatalf("step %d: the cache holds\n%s\nand the folder\n%s", step, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestUpdatesAddUp(t *testing.T) {
	b := newBox(t)
	var want []string
	for step := range 40 {
		text := fmt.Sprintf("Fact number %d of the project.", step)
		path := b.fact(text)
		if step%3 == 2 {
			if err := os.Remove(filepath.Join(b.dir, path)); err != nil {
				t.Fatal(err)
			}
		} else {
			want = append(want, text)
		}
		lib := b.open()
		var got []string
		for d, err := range lib.Docs() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, d.Text)
		}
		slices.Sort(got)
		sorted := slices.Sorted(slices.Values(want))
		if !slices.Equal(got, sorted) {
			t.Fatalf("step %d: got %q, want %q", step, got, sorted)
		}
		if n := len(b.segments()); n > maxDeltas+1 {
			t.Fatalf("step %d: %d segments", step, n)
		}
	}
}

func TestDamagedCacheIsBuiltAnew(t *testing.T) {
	for _, pattern := range []string{"recall.list", "recall-*.seg"} {
		b := newBox(t)
		for i := range 20 {
			b.fact(fmt.Sprintf("Fact number %d.", i))
		}
		want := held(t, b.open())
		if len(want) != 20 {
			t.Fatalf("%d docs, want 20", len(want))
		}
		names, err := filepath.Glob(filepath.Join(b.dir, ".git/memctl", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		good, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{nil, good[:len(good)/2], append([]byte("x"), good[1:]...), append(slices.Clone(good), 0)} {
			replace(t, names[0], bad)
			if got := held(t, b.open()); !slices.Equal(got, want) {
				t.Fatalf("%s damaged: got %q", pattern, got)
			}
			names, _ = filepath.Glob(filepath.Join(b.dir, ".git/memctl", pattern))
			if good, err = os.ReadFile(names[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// replace puts another file in a file's place: what is mapped stays as it is.
func replace(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLimitLeavesTheIndexBehind(t *testing.T) {
	b := newBox(t)
	b.fact("Builds need Go 1.26.")
	b.open()
	for i := range 30 {
		b.fact(fmt.Sprintf("Fact number %d.", i))
	}
	b.req.MaxChangedFiles = 20
	if lib := b.open(); lib.Len() != 1 || !slices.Equal(lib.NotUpdated, []string{store.Project}) {
		t.Fatalf("%d docs, behind %v; want the one of before", lib.Len(), lib.NotUpdated)
	}
	b.req.MaxChangedFiles = 100
	if lib := b.open(); lib.Len() != 31 || len(lib.NotUpdated) != 0 {
		t.Fatalf("%d docs, behind %v; want 31", lib.Len(), lib.NotUpdated)
	}
}

func TestTwoAtOnceSeeAllOfIt(t *testing.T) {
	b := newBox(t)
	for i := range 50 {
		b.fact(fmt.Sprintf("Fact number %d.", i))
	}
	b.open()
	done := make(chan int)
	for range 8 {
		go func() {
			ss, err := store.Open(context.Background(), store.Env{Dir: b.dir, Getenv: func(string) string { return "" }, Now: time.Now})
			if err != nil {
				done <- -1
				return
			}
			st, _ := ss.Get(context.Background(), store.Project)
			least := 1 << 20
			for range 20 {
				lib, err := Open(context.Background(), Request{Stores: []*store.Store{st}})
				if err != nil {
					t.Error(err)
					done <- -1
					return
				}
				hits, err := recall.Search(lib.Index, recall.Query{Text: "fact number", MaxHits: 100})
				if err != nil {
					t.Error(err)
				}
				least = min(least, lib.Len(), len(hits))
				lib.Close()
			}
			done <- least
		}()
	}
	for i := range 100 {
		b.fact(fmt.Sprintf("Later fact number %d.", i))
	}
	for range 8 {
		if n := <-done; n < 50 {
			t.Errorf("somebody saw %d docs, want at least 50", n)
		}
	}
}

func TestSpeakerIsTheNameBeforeTheText(t *testing.T) {
	for text, want := range map[string]string{
		"Ann: let us use Redis":               "Ann",
		"Ann Lee Kim: yes":                    "Ann Lee Kim",
		"note: the cache is gone":             "user",
		"One Two Three Four: too many names":  "user",
		"The Cache, And More: no name":        "user",
		"Ann:":                                "user",
		"":                                    "user",
		"Ann said something. Bob: and he too": "user",
	} {
		if got := speakerOf("user", text); got != want {
			t.Errorf("%q was said by %q, want %q", text, got, want)
		}
	}
}

func TestVectorsAreReleased(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files that a process maps are read in /proc")
	}
	b := newBox(t)
	b.said(rand.New(rand.NewPCG(1, 1)))
	embed := func(lib *Library, model string, embed Embedder) error {
		_, err := lib.Embed([]*store.Store{b.st}, model, embed, []float32{1, 0}, 1, nil)
		return err
	}
	ones := func(texts []string) ([][]float32, error) { return slices.Repeat([][]float32{{1, 0}}, len(texts)), nil }
	if err := embed(b.open(), "m", ones); err != nil { // writes the file
		t.Fatal(err)
	}
	mapped := func() int {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(maps), vectorFile)
	}
	first, failure := b.open(), errors.New("no embedder")
	before := mapped()
	for range 2 {
		if err := embed(first, "other", func([]string) ([][]float32, error) { return nil, failure }); !errors.Is(err, failure) {
			t.Fatal(err)
		}
	}
	if n := mapped(); n != before {
		t.Errorf("after two failures of the embedder, %d files of vectors are open", n-before)
	}
	if err := embed(first, "m", ones); err != nil {
		t.Fatal(err)
	}
	if n := mapped(); n != before+1 {
		t.Errorf("%d files of vectors are open in use", n-before)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if n := mapped(); n != before {
		t.Errorf("the library is closed, and %d files of vectors are open", n-before)
	}
}
