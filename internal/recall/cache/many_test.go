package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// many writes facts, of which some are withheld, straight to their files.
func (b *box) many(from, to int, what string) {
	b.t.Helper()
	for i := from; i < to; i++ {
		text := fmt.Sprintf("%s fact number %d of the project.", what, i)
		if i%500 == 499 {
			text = fmt.Sprintf("The key is AKIAIOSFODNN7REAL%03d.", i%1000)
		}
		b.put(manyPath(i), fmt.Sprintf("---\nid: \"id-%06d\"\nrole: memory\nconversation_id: \"project\"\ncreated_at: \"2026-02-21T09:03:00.000Z\"\n---\n\n%s\n", i, text))
	}
}

func manyPath(i int) string { return fmt.Sprintf("memories/entries/project/facts/id-%06d.md", i) }

// wantAnew fails where the index differs from one that is built of what is there.
func (b *box) wantAnew(when string) {
	b.t.Helper()
	got := held(b.t, b.open())
	if err := RemoveIndex(b.st); err != nil {
		b.t.Fatal(err)
	}
	if want := held(b.t, b.open()); !slices.Equal(got, want) {
		b.t.Fatalf("%s: the index has %d docs that are not the %d that are there", when, len(got), len(want))
	}
}

func TestManyFilesAreReadByWorkers(t *testing.T) {
	b := newBox(t)
	const n = 2*batchFiles + 100
	b.many(0, n, "One")
	b.put("memory/page.md", "A page among them.\n")
	var mu sync.Mutex
	told := []int{}
	b.req.Progress = func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if told = append(told, done); total != n+1 {
			t.Errorf("%d of %d files, want %d", done, total, n+1)
		}
	}
	lib := b.open()
	if want := n - n/500 + 1; lib.Len() != want || len(b.segments()) != 1 {
		t.Fatalf("%d docs in %d segments, want %d in one", lib.Len(), len(b.segments()), want)
	}
	if !slices.IsSorted(told) || told[len(told)-1] != n+1 {
		t.Errorf("progress of %v", told)
	}
	for d, err := range lib.Docs() {
		if err != nil || strings.Contains(d.Text, "AKIA") {
			t.Fatalf("%q was indexed (%v)", d.Text, err)
		}
	}
}

// TestABranchSwitchIsFollowed: many files change, come and go at once, and back
// again, over what small changes have left in several segments.
func TestABranchSwitchIsFollowed(t *testing.T) {
	b := newBox(t)
	const n = 800
	b.many(0, n, "One")
	b.open()
	for i := range 3 {
		b.many(n+i, n+i+1, "Small")
		b.open()
	}
	b.many(100, n, "Other")
	b.many(2*n, 2*n+50, "New")
	b.remove(0, 80)
	b.wantAnew("switched")
	b.many(0, n, "One")
	b.remove(2*n, 2*n+50)
	b.wantAnew("switched back")
}

func (b *box) remove(from, to int) {
	b.t.Helper()
	for i := from; i < to; i++ {
		if err := os.Remove(filepath.Join(b.dir, manyPath(i))); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestACacheThatCannotBeWrittenCostsNoAnswer(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may write everywhere: a file stands in the folder's place instead")
	}
	b := newBox(t)
	b.fact("Builds need Go 1.26.")
	b.open()
	state := filepath.Join(b.dir, ".git/memctl")
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Tests need git.", "Releases are on Mondays."} {
		b.fact(text)
		if got := strings.Join(held(t, b.open()), "\n"); !strings.Contains(got, text) || !strings.Contains(got, "Go 1.26") {
			t.Fatalf("%q is missing of\n%s", text, got)
		}
	}
}

// TestWritersBesideEachOther: each has changed something, and each writes the
// index; whoever is last, the next to open it finds everything.
func TestWritersBesideEachOther(t *testing.T) {
	b := newBox(t)
	b.fact("The first fact.")
	b.open()
	stores := b.req.Stores
	for round := range 15 {
		var writers sync.WaitGroup
		for n := range 6 {
			b.fact(fmt.Sprintf("Fact %d of round %d.", n, round))
			writers.Go(func() {
				lib, err := Open(t.Context(), Request{Stores: stores, MarkdownGlobs: b.req.MarkdownGlobs})
				if err != nil {
					t.Error(err)
					return
				}
				for _, err := range lib.Docs() {
					if err != nil {
						t.Error(err)
					}
				}
				lib.Close()
			})
		}
		writers.Wait()
		if lib := b.open(); lib.Len() != 1+6*(round+1) {
			t.Fatalf("round %d: %d docs, want %d", round, lib.Len(), 1+6*(round+1))
		}
	}
	for _, name := range b.segments() { // those that nobody names go once they are old
		old := time.Now().Add(-2 * orphanAge)
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	b.fact("The last fact.")
	b.open()
	if n := len(b.segments()); n > maxDeltas+1 {
		t.Errorf("%d segments are left", n)
	}
	b.wantAnew("after all rounds")
}
