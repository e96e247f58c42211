package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

// deferred is a box in which the act stands uncommitted, in a normal state
// again.
func deferredBox(t *testing.T, acts ...Write) *box {
	t.Helper()
	b := gitBox(t, withItem("a.b", "one"))
	b.git("bisect", "start")
	for _, w := range acts {
		if out := b.must(w); out.Commit != "" {
			t.Fatalf("%+v", out)
		}
	}
	b.git("bisect", "reset")
	return b
}

func TestOneWriteThatWaitedKeepsItsSubjectAndMessage(t *testing.T) {
	w := add("c.d", false)
	w.Message = "As agreed."
	b := deferredBox(t, w)
	b.must(add("e.f", false))
	if got := b.git("show", "-s", "--format=%B", "HEAD~1"); got != "memory: add c.d\n\nAs agreed.\n\nMemory-Act: add\nMemory-Key: c.d\nMemory-Scope: project\nMemory-Source: test" {
		t.Errorf("%s", got)
	}
}

func TestEachWriteThatWaitedKeepsItsTrailersTogether(t *testing.T) {
	second := add("e.f", false)
	second.Source = "another"
	b := deferredBox(t, add("c.d", false), second, withFilesOnly())
	b.must(add("g.h", false))
	want := "Memory-Act: add\nMemory-Key: c.d\nMemory-Scope: project\nMemory-Source: test\n" +
		"Memory-Act: add\nMemory-Key: e.f\nMemory-Scope: project\nMemory-Source: another\n" +
		"Memory-Act: remember\nMemory-Scope: project\nMemory-Source: test"
	if got := b.git("show", "-s", "--format=%b", "HEAD~1"); got != want {
		t.Errorf("%s", got)
	}
	if got := b.git("show", "--format=", "--name-only", "HEAD~1"); got != memfile.FileName+"\n"+factPath {
		t.Errorf("%s", got)
	}
}

func withFilesOnly() Write { return changing(FileChange{Path: factPath, After: []byte("fact\n")}) }

func TestWhatThePersonCommittedWaitsNoLonger(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	waiting := b.read(memfile.FileName)
	b.git("commit", "-q", "-m", "mine", memfile.FileName)
	b.must(add("e.f", false))
	b.write(memfile.FileName, waiting) // the same bytes again, and now they are the person's
	b.must(add("g.h", false))
	if got := b.subjects(); !slices.Equal(got, []string{"memory: add g.h", "memory: edit by hand", "memory: add e.f", "mine", "begin"}) {
		t.Errorf("commits %q", got)
	}
}

func TestWhatWasCommittedInPartIsNotNamedTwice(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.git("bisect", "start")
	b.must(add("c.d", false))
	b.git("commit", "-q", "-m", "mine", memfile.FileName)
	b.must(add("e.f", false))
	b.git("bisect", "reset")
	b.git("switch", "-q", "main")
	b.must(add("g.h", false))
	if got := b.subjects()[:3]; !slices.Equal(got, []string{"memory: add g.h", "memory: add e.f", "mine"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAStashedWriteIsKnownAgainWhenItComesBack(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	b.git("stash", "-q")
	b.must(withFilesOnly())
	if body := b.git("log", "--format=%b"); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is stashed:\n%s", body)
	}
	b.git("stash", "pop", "-q")
	b.must(add("e.f", false))
	if got := b.subjects()[:3]; !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "memory: remember a thing"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAWriteThatWaitsGoesAlongToAnotherBranch(t *testing.T) {
	b := deferredBox(t, add("c.d", false))
	b.git("switch", "-q", "-c", "other")
	b.must(add("e.f", false))
	if got := b.subjects()[:2]; !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d"}) {
		t.Errorf("commits %q", got)
	}
	// Left behind by a reset, it is nobody's.
	b = deferredBox(t, add("c.d", false))
	b.git("reset", "-q", "--hard")
	b.must(add("e.f", false))
	if body := b.git("log", "--format=%b"); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is gone:\n%s", body)
	}
}

// unindexed takes the file out of the index, as where an act was killed between its commit
// and the index that has the new file.
func (b *box) unindexed(name string) {
	b.t.Helper()
	b.git("update-index", "--force-remove", name)
	if status := b.git("status", "--porcelain"); !strings.Contains(status, "D  "+name) {
		b.t.Fatalf("the state is not the one: %q", status)
	}
}

// TestAKillAfterTheCommitOfWhatWaited: the next act puts the new files into the index, so
// that the person's next commit does not delete them.
func TestAKillAfterTheCommitOfWhatWaited(t *testing.T) {
	for name, next := range map[string]func(*box){
		"an act": func(b *box) { b.must(add("x.y", false)) },
		"doctor": func(b *box) {
			notes, err := b.project().Settle(t.Context(), time.Second)
			if err != nil || !slices.ContainsFunc(notes, func(s string) bool { return strings.Contains(s, "index again") }) {
				t.Errorf("doctor says %q, %v", notes, err)
			}
		},
	} {
		b := gitBox(t, withItem("a.b", "one"))
		b.merging()
		b.must(withFiles(false))
		waits := b.read(".git/memctl/" + ledgerFile)
		b.git("commit", "-q", "-m", "merged")
		if _, err := b.project().Settle(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
		commits := len(b.subjects())
		b.write(".git/memctl/"+ledgerFile, waits)
		b.unindexed(factPath)
		next(b)
		if status := b.git("status", "--porcelain"); status != "" {
			t.Errorf("%s: left %q", name, status)
		}
		if now := len(b.subjects()); now > commits+1 || b.git("ls-tree", "--name-only", "HEAD", factPath) == "" {
			t.Errorf("%s: %d commits more, and HEAD has %q", name, now-commits, b.git("ls-tree", "-r", "--name-only", "HEAD"))
		}
	}
}

// TestAKillAfterTheCommitBesideAnEdit: the index gets the act's new files where a person
// has been at another of its files since, which stays as they left it.
func TestAKillAfterTheCommitBesideAnEdit(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killed(withFiles(false), 3)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "memory: add c.d")
	b.write("memories/notes/x.md", "note, edited\n")
	b.unindexed(factPath)
	b.must(add("e.f", false))
	b.allEnded()
	if status := b.git("status", "--porcelain"); status != "M memories/notes/x.md" {
		t.Errorf("left %q", status)
	}
}
