package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

// killed is an act whose process ends when it has written n of its files.
func (b *box) killed(w Write, n int) {
	b.t.Helper()
	st := b.project()
	t := &plan{transaction: &transaction{st: st, w: w}}
	file, err := t.prepare(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	out := Outcome{Before: file.Document(), After: file.Document()}
	if err := t.changeDocument(file, &out); err != nil {
		b.t.Fatal(err)
	}
	if err := t.changeFiles(b.t.Context(), &out); err != nil {
		b.t.Fatal(err)
	}
	t.act = st.ss.newAct(st.Scope, w.Act, w.Undoes, w.Origin)
	if err := t.begin(); err != nil {
		b.t.Fatal(err)
	}
	if err := st.put(t.changes[:n]); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) allEnded() {
	b.t.Helper()
	if begun, err := b.project().open(actBegun); err != nil || len(begun) > 0 {
		b.t.Errorf("unfinished in the ledger: %+v, %v", begun, err)
	}
}

// withFiles is an act on the memory file and two others.
func withFiles(automatic bool) Write {
	w := add("c.d", automatic)
	w.Files = changing(FileChange{Path: factPath, After: []byte("fact\n")}, FileChange{Path: "memories/notes/x.md", After: []byte("note\n")}).Files
	return w
}

func TestAKilledActIsEndedByTheNextUnderItsOwnName(t *testing.T) {
	for n := 1; n <= 3; n++ {
		b := gitBox(t, withItem("a.b", "one"))
		b.killed(withFiles(false), n)
		b.must(add("e.f", false))
		b.allEnded()
		if got := b.subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "begin"}) {
			t.Errorf("%d written: commits %q", n, got)
		}
		if got := b.git("show", "--format=%b", "--name-only", "HEAD~1"); !strings.HasPrefix(got, "Memory-Act: add\nMemory-Key: c.d\n") || strings.Count(got, ".md") != 3 {
			t.Errorf("%d written: %s", n, got)
		}
		acts, err := b.project().ss.Acts(t.Context())
		if err != nil || len(acts) != 2 || acts[0].After == nil || len(acts[0].Files) != 2 {
			t.Errorf("%d written: undo knows %+v, %v", n, acts, err)
		}
		if status := b.git("status", "--porcelain"); status != "" {
			t.Errorf("%d written: left %s", n, status)
		}
	}
}

func TestAnActKilledBeforeItsFirstByteNeverWas(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killed(withFiles(false), 0)
	b.must(add("e.f", false))
	b.allEnded()
	if text := b.read(memfile.FileName); strings.Contains(text, "c.d") || len(b.subjects()) != 2 {
		t.Errorf("commits %q\n%s", b.subjects(), text)
	}
}

func TestAnActKilledAfterItsCommitIsNotDoneTwice(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killed(add("c.d", false), 1)
	b.git("commit", "-q", "-m", "memory: add c.d", memfile.FileName)
	b.must(add("e.f", false))
	b.allEnded()
	if got := b.subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "begin"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAKilledAutomaticActIsTakenBackWhereNothingCanBeCommitted(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killed(withFiles(true), 2)
	b.merging()
	b.must(add("e.f", false))
	b.allEnded()
	if text := b.read(memfile.FileName); strings.Contains(text, "c.d") || !strings.Contains(text, "e.f") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(filepath.Join(b.root, "memories")); !os.IsNotExist(err) {
		t.Error("its files are still there")
	}
}

func TestWhatAPersonChangedAfterTheKillIsTheirs(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killed(withFiles(false), 3)
	b.write(factPath, "by hand\n")
	b.git("stash", "push", "-q", memfile.FileName)
	b.must(add("e.f", false))
	b.allEnded()
	if b.read(factPath) != "by hand\n" || strings.Contains(b.read(memfile.FileName), "c.d") {
		t.Errorf("commits %q", b.subjects())
	}
	if body := b.git("log", "--format=%b", "--", memfile.FileName); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is not in it:\n%s", body)
	}
}

func TestATornLineOfTheLedgerIsNoHindrance(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.must(add("c.d", false))
	b.write(".git/memctl/"+ledgerFile, b.read(".git/memctl/"+ledgerFile)+`{"id":"123456789012","state":"begun","act":{"id":"12`)
	b.must(add("e.f", false))
	b.allEnded()
	if acts, err := b.project().ss.Acts(t.Context()); err != nil || len(acts) != 2 {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}

func TestWhatAPowerCutToreIsWrittenToTheEnd(t *testing.T) {
	for name, left := range map[string]string{"nothing of it": "", "its beginning": "fa", "its beginning and zeros": "fa\x00\x00\x00"} {
		for _, automatic := range []bool{false, true} {
			b := gitBox(t, withItem("a.b", "one"))
			b.killed(withFiles(automatic), 3)
			b.write(factPath, left)
			if automatic {
				b.merging()
			}
			b.must(add("e.f", false))
			b.allEnded()
			if automatic {
				if _, err := os.Stat(filepath.Join(b.root, "memories")); !os.IsNotExist(err) {
					t.Errorf("%s: of an act that was taken back its torn file is still there", name)
				}
			} else if b.read(factPath) != "fact\n" || !strings.Contains(b.read(memfile.FileName), "c.d") {
				t.Errorf("%s: not mended", name)
			}
		}
	}
	if torn([]byte("other"), []byte("fact\n")) || torn([]byte("fact\n more"), []byte("fact\n")) || torn(nil, []byte("x")) {
		t.Error("what somebody wrote counts as torn")
	}
}

func TestDoctorNamesAKilledActAndEndsIt(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	if _, _, ok, err := b.project().Unfinished(t.Context()); ok || err != nil {
		t.Fatalf("unfinished before: %v, %v", ok, err)
	}
	b.killed(withFiles(false), 2)
	st := b.project()
	act, begun, ok, err := st.Unfinished(t.Context())
	if act != "add" || begun.IsZero() || !ok || err != nil {
		t.Fatalf("unfinished: %q, %v, %v, %v", act, begun, ok, err)
	}
	unlock, err := st.lock(t.Context(), time.Second, "add")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := b.project().Unfinished(t.Context()); ok || err != nil {
		t.Errorf("unfinished while another is at work: %v, %v", ok, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.project().Settle(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	b.allEnded()
	if got := b.subjects(); !slices.Equal(got, []string{"memory: add c.d", "begin"}) {
		t.Errorf("commits %q", got)
	}
	if _, _, ok, _ := b.project().Unfinished(t.Context()); ok {
		t.Error("still unfinished")
	}
}
