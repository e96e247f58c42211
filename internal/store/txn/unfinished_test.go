package txn

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// killed is an act whose process ends when it has written n of its files.
func killed(b *storetest.Box, w Write, n int) {
	b.T.Helper()
	st := b.Project()
	p := &plan{transaction: &transaction{st: st, w: w}}
	file, err := p.prepare(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	if _, err := p.collectChanges(b.T.Context(), file); err != nil {
		b.T.Fatal(err)
	}
	errKilled := errors.New("killed")
	_, err = commitFiles(b.T.Context(), st, p.changes, w.subject(), w.Message, w.Trailers(st.Scope), func(id string) error {
		return errors.Join(p.record(b.T.Context(), id, ""), put(st, p.changes[:n]), errKilled)
	})
	if !errors.Is(err, errKilled) {
		b.T.Fatal(err)
	}
}

func allEnded(b *storetest.Box) {
	b.T.Helper()
	for _, a := range ledger.Open(b.T.Context(), b.Project()) {
		if a.Begun {
			b.T.Errorf("unfinished: %+v", a)
		}
	}
}

// withFiles is an act on the memory file and two others.
func withFiles(automatic bool) Write {
	return and(add("c.d", automatic), store.FileChange{Path: factPath, After: []byte("fact\n")}, store.FileChange{Path: "memories/notes/x.md", After: []byte("note\n")})
}

func TestAKilledActIsEndedByTheNextUnderItsOwnName(t *testing.T) {
	for n := 1; n <= 3; n++ {
		b := storetest.Git(t, storetest.WithItem("a.b", "one"))
		killed(b, withFiles(false), n)
		must(b, add("e.f", false))
		allEnded(b)
		if got := b.Subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "begin"}) {
			t.Errorf("%d written: commits %q", n, got)
		}
		if got := b.Git("show", "--format=%b", "--name-only", "HEAD~1"); !strings.HasPrefix(got, "Memory-Act: add\nMemory-Key: c.d\n") || strings.Count(got, ".md") != 3 {
			t.Errorf("%d written: %s", n, got)
		}
		acts, err := ledger.Acts(t.Context(), b.Project().Stores, ledger.All)
		if err == nil && len(acts) == 2 {
			_, err = ledger.Fill(t.Context(), b.Project(), &acts[0])
		}
		if err != nil || len(acts) != 2 || len(acts[0].Changes) != 3 || len(acts[0].Files()) != 2 {
			t.Errorf("%d written: undo knows %+v, %v", n, acts, err)
		}
		if status := b.Git("status", "--porcelain"); status != "" {
			t.Errorf("%d written: left %s", n, status)
		}
	}
}

func TestAnActKilledBeforeItsFirstByteNeverWas(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killed(b, withFiles(false), 0)
	must(b, add("e.f", false))
	allEnded(b)
	if text := b.Read(memfile.FileName); strings.Contains(text, "c.d") || len(b.Subjects()) != 2 {
		t.Errorf("commits %q\n%s", b.Subjects(), text)
	}
}

func TestAnActKilledAfterItsCommitIsNotDoneTwice(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killed(b, add("c.d", false), 1)
	b.Git("commit", "-q", "-m", "memory: add c.d", memfile.FileName)
	must(b, add("e.f", false))
	allEnded(b)
	if got := b.Subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: add c.d", "begin"}) {
		t.Errorf("commits %q", got)
	}
}

func TestAKilledAutomaticActIsTakenBackWhereNothingCanBeCommitted(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	w := withFiles(true)
	w.Origin = "automatic"
	killed(b, w, 2)
	merging(b)
	must(b, add("e.f", false))
	allEnded(b)
	if text := b.Read(memfile.FileName); strings.Contains(text, "c.d") || !strings.Contains(text, "e.f") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(filepath.Join(b.Root, "memories")); !os.IsNotExist(err) {
		t.Error("its files are still there")
	}
}

func TestWhatAPersonChangedAfterTheKillIsTheirs(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killed(b, withFiles(false), 3)
	b.Write(factPath, "by hand\n")
	b.Git("stash", "push", "-q", memfile.FileName)
	must(b, add("e.f", false))
	allEnded(b)
	if b.Read(factPath) != "by hand\n" || strings.Contains(b.Read(memfile.FileName), "c.d") {
		t.Errorf("commits %q", b.Subjects())
	}
	if body := b.Git("log", "--format=%b", "--", memfile.FileName); strings.Contains(body, "c.d") {
		t.Errorf("trailers of what is not in it:\n%s", body)
	}
}

func TestDoctorNamesAKilledActAndEndsIt(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	if ok, err := Unfinished(t.Context(), b.Project()); ok != nil || err != nil {
		t.Fatalf("unfinished before: %v, %v", ok, err)
	}
	killed(b, withFiles(false), 2)
	st := b.Project()
	act, err := Unfinished(t.Context(), st)
	if act == nil || act.Act != "add" || act.Time.IsZero() || err != nil {
		t.Fatalf("unfinished: %+v, %v", act, err)
	}
	unlock, err := st.Lock(t.Context(), time.Second, "add")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := Unfinished(t.Context(), b.Project()); ok != nil || err != nil {
		t.Errorf("unfinished while another is at work: %v, %v", ok, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := FinishPending(t.Context(), b.Project(), time.Second); err != nil {
		t.Fatal(err)
	}
	allEnded(b)
	if got := b.Subjects(); !slices.Equal(got, []string{"memory: add c.d", "begin"}) {
		t.Errorf("commits %q", got)
	}
	if a, _ := Unfinished(t.Context(), b.Project()); a != nil {
		t.Error("still unfinished")
	}
}
