package cache

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memfile"
)

// TestAnEditThatKeepsSizeAndTime: as `touch -r` leaves it.
func TestAnEditThatKeepsSizeAndTime(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing else tells of the change here")
	}
	b := newBox(t)
	b.put(memfile.FileName, memfile.Template)
	at := b.fact("the parser is hand written")
	b.age(at)
	if got := strings.Join(held(t, b.open()), "\n"); !strings.Contains(got, "hand") {
		t.Fatalf("got %s", got)
	}
	full := filepath.Join(b.dir, at)
	info, err := os.Lstat(full)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	b.put(at, strings.Replace(string(src), "hand", "well", 1))
	if err := os.Chtimes(full, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(held(t, b.open()), "\n"); strings.Contains(got, "hand") || !strings.Contains(got, "well") {
		t.Errorf("got %s", got)
	}
}

// TestATurnEditedInPlace: a folder of turns is compared when a file comes or goes, or when --fresh asks for it.
func TestATurnEditedInPlace(t *testing.T) {
	b := newBox(t)
	b.put(memfile.FileName, memfile.Template)
	turn := func(id, text string) string {
		e := entry.Entry{ID: id, Role: entry.RoleUser, Conversation: "chat", Created: "2026-02-21T09:03:00.000Z", Text: text}
		src, err := entry.Print(e)
		if err != nil {
			t.Fatal(err)
		}
		b.put(e.Path(), string(src))
		return e.Path()
	}
	at := turn("1b9ee3ac-0c5a-4a44-8a44-0c5a0b9ee3ac", "the parser is hand written")
	b.age(at, filepath.Dir(at))
	says := func(want, never string) {
		t.Helper()
		if got := strings.Join(held(t, b.open()), "\n"); !strings.Contains(got, want) || never != "" && strings.Contains(got, never) {
			t.Errorf("%q is not there, or %q is: %s", want, never, got)
		}
	}
	says("hand written", "")
	turn("1b9ee3ac-0c5a-4a44-8a44-0c5a0b9ee3ac", "the parser is well written")
	says("hand written", "well")
	b.req.CompareAll = true
	says("well written", "hand")
	b.req.CompareAll = false
	turn("2b9ee3ac-0c5a-4a44-8a44-0c5a0b9ee3ac", "the lexer is generated")
	says("the lexer is generated", "hand")
}

// TestNestedFilesAreListedOnceForEachStateOfGitsIndex opens the index before and after a file of the project becomes known to git.
func TestNestedFilesAreListedOnceForEachStateOfGitsIndex(t *testing.T) {
	b := newBox(t)
	b.put(memfile.FileName, memfile.Template)
	b.put("web/AGENTS.md", "The page has no framework.\n")
	b.put(".git/index", "one")
	b.age(".git/index")
	listed, names := 0, []string{}
	b.req.InstructionFiles, b.req.ListNestedAfter = []string{"AGENTS.md"}, filepath.Join(b.dir, ".git/index")
	b.req.ListNested = func() []string { listed++; return names }
	opens := func(calls int, want bool) {
		t.Helper()
		if got := strings.Contains(strings.Join(held(t, b.open()), "\n"), "framework"); got != want || listed != calls {
			t.Errorf("found %t after %d listings, want %t after %d", got, listed, want, calls)
		}
	}
	opens(1, false)
	names = []string{"web/AGENTS.md"}
	opens(1, false)
	b.put(".git/index", "one and two")
	b.age(".git/index")
	opens(2, true)
	b.req.ListNested = nil // as a hook, which does not look for them
	opens(2, true)
}
