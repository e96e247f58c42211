package txn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// deferredBox is a box whose acts are not committed, although nothing prevents a commit any more.
func deferredBox(t *testing.T, acts ...Write) *storetest.Box {
	t.Helper()
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Git("bisect", "start")
	for _, w := range acts {
		if out := must(b, w); out.Commit != "" {
			t.Fatalf("%+v", out)
		}
	}
	b.Git("bisect", "reset")
	return b
}

func TestOneWriteThatWaitedKeepsItsSubjectAndMessage(t *testing.T) {
	w := add("c.d", false)
	w.Message = "As agreed."
	b := deferredBox(t, w)
	must(b, add("e.f", false))
	if got := b.Git("show", "-s", "--format=%B", "HEAD~1"); got != "memory: add c.d\n\nAs agreed.\n\nMemory-Act: add\nMemory-Key: c.d\nMemory-Scope: project\nMemory-Source: test" {
		t.Errorf("%s", got)
	}
}

func TestEachWriteThatWaitedKeepsItsTrailersTogether(t *testing.T) {
	second := add("e.f", false)
	second.Source = "another"
	b := deferredBox(t, add("c.d", false), second, withFilesOnly())
	must(b, add("g.h", false))
	want := "Memory-Act: add\nMemory-Key: c.d\nMemory-Scope: project\nMemory-Source: test\n" +
		"Memory-Act: add\nMemory-Key: e.f\nMemory-Scope: project\nMemory-Source: another\n" +
		"Memory-Act: remember\nMemory-Scope: project\nMemory-Source: test"
	if got := b.Git("show", "-s", "--format=%b", "HEAD~1"); got != want {
		t.Errorf("%s", got)
	}
	if got := b.Git("show", "--format=", "--name-only", "HEAD~1"); got != memfile.FileName+"\n"+factPath {
		t.Errorf("%s", got)
	}
}

func withFilesOnly() Write {
	return changing(store.FileChange{Path: factPath, After: []byte("fact\n")})
}

func TestWhatThePersonCommittedWaitsNoLonger(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	waiting := b.Read(memfile.FileName)
	b.Git("commit", "-q", "-m", "mine", memfile.FileName)
	must(b, add("e.f", false))
	b.Write(memfile.FileName, waiting) // the same bytes again, and now they are the person's
	must(b, add("g.h", false))
	if got := b.Subjects(); !slices.Equal(got, []string{"memory: add g.h", "memory: edit by hand", "memory: add e.f", "mine", "begin"}) {
		t.Errorf("commits %q", got)
	}
}

func TestWhatWasCommittedInPartIsNotNamedTwice(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Git("bisect", "start")
	must(b, add("c.d", false))
	b.Git("commit", "-q", "-m", "mine", memfile.FileName)
	must(b, add("e.f", false))
	b.Git("bisect", "reset")
	b.Git("switch", "-q", "main")
	must(b, add("g.h", false))
	if got := b.Subjects()[:3]; !slices.Equal(got, []string{"memory: add g.h", "memory: add e.f", "mine"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAStashedWriteIsKnownAgainWhenItComesBack(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	b.Git("stash", "-q")
	must(b, withFilesOnly())
	if body := b.Git("log", "--format=%b"); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is stashed:\n%s", body)
	}
	b.Git("stash", "pop", "-q")
	must(b, add("e.f", false))
	if got := b.Subjects()[:3]; !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "memory: remember a thing"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAWriteThatWaitsGoesAlongToAnotherBranch(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	b.Git("switch", "-q", "-c", "other")
	must(b, add("e.f", false))
	if got := b.Subjects()[:2]; !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d"}) {
		t.Errorf("commits %q", got)
	}
	// Left behind by a reset, it is nobody's.
	b = deferredBox(t, add("c.d", false))
	b.Git("reset", "-q", "--hard")
	must(b, add("e.f", false))
	if body := b.Git("log", "--format=%b"); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is gone:\n%s", body)
	}
}

// unindexed takes the file out of the index, as where an act was killed between its commit
// and the index that has the new file.
func unindexed(b *storetest.Box, name string) {
	b.T.Helper()
	b.Git("update-index", "--force-remove", name)
	if status := b.Git("status", "--porcelain"); !strings.Contains(status, "D  "+name) {
		b.T.Fatalf("the state is not the one: %q", status)
	}
}

// TestAKillAfterTheCommitOfWhatWaited: the next act puts the new files into the index, so
// that the person's next commit does not delete them.
func TestAKillAfterTheCommitOfWhatWaited(t *testing.T) {
	for name, next := range map[string]func(*storetest.Box){
		"an act": func(b *storetest.Box) { must(b, add("x.y", false)) },
		"doctor": func(b *storetest.Box) {
			notes, err := FinishPending(t.Context(), b.Project(), time.Second)
			if err != nil || !slices.ContainsFunc(notes, func(n fault.Note) bool { return n.Code == "restaged" }) {
				t.Errorf("doctor says %q, %v", notes, err)
			}
		},
	} {
		b := storetest.Git(t, storetest.WithItem("a.b", "one"))
		merging(b)
		must(b, withFiles(false))
		b.Git("commit", "-q", "-m", "merged")
		if _, err := FinishPending(t.Context(), b.Project(), time.Second); err != nil {
			t.Fatal(err)
		}
		commits := len(b.Subjects())
		unindexed(b, factPath)
		next(b)
		if status := b.Git("status", "--porcelain"); status != "" {
			t.Errorf("%s: left %q", name, status)
		}
		if now := len(b.Subjects()); now > commits+1 || b.Git("ls-tree", "--name-only", "HEAD", factPath) == "" {
			t.Errorf("%s: %d commits more, and HEAD has %q", name, now-commits, b.Git("ls-tree", "-r", "--name-only", "HEAD"))
		}
	}
}

// TestAKillAfterTheCommitBesideAnEdit: the index gets the act's new files where a person
// has been at another of its files since, which stays as they left it.
func TestAKillAfterTheCommitBesideAnEdit(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killed(b, withFiles(false), 3)
	b.Git("add", "-A")
	b.Git("commit", "-q", "-m", "memory: add c.d")
	b.Write("memories/notes/x.md", "note, edited\n")
	unindexed(b, factPath)
	must(b, add("e.f", false))
	allEnded(b)
	if status := b.Git("status", "--porcelain"); status != "M memories/notes/x.md" {
		t.Errorf("left %q", status)
	}
}

// TestAKilledActWaitsUntilTheIndexHasItsFiles: the act that ends a killed one ends before the index has its new
// file, which is a later act's to add then.
func TestAKilledActWaitsUntilTheIndexHasItsFiles(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killed(b, withFiles(false), 3)
	b.Git("add", "-A")
	b.Git("commit", "-q", "-m", "memory: add c.d")
	unindexed(b, factPath)
	t.Run("git fails", func(t *testing.T) {
		wrapGit(t, "reset -q", "exit 128")
		if _, err := FinishPending(t.Context(), b.Project(), time.Second); err != nil {
			t.Fatal(err)
		}
		if status := b.Git("status", "--porcelain"); !strings.Contains(status, "D  "+factPath) {
			t.Fatalf("nothing failed: %q", status)
		}
	})
	must(b, add("e.f", false))
	must(b, add("g.h", false))
	allEnded(b)
	if waiting := ledger.Open(t.Context(), b.Project()); len(waiting) > 0 {
		t.Errorf("waits: %+v", waiting)
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("left %q", status)
	}
}
