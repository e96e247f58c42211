package txn

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// merging brings the box into the middle of a merge of another file.
func merging(b *storetest.Box) {
	b.T.Helper()
	b.Git("switch", "-q", "-c", "side")
	b.Write("side.txt", "side\n")
	b.Git("add", "side.txt")
	b.Git("commit", "-q", "-m", "side")
	b.Git("switch", "-q", "main")
	b.Git("merge", "-q", "--no-commit", "--no-ff", "side")
}

// busy are the states in which nothing can be committed.
var busy = map[string]struct {
	why   string
	begin func(*storetest.Box) map[string]string // gives the environment
	end   func(*storetest.Box)
}{
	"a merge": {gitops.WhyMerge,
		func(b *storetest.Box) map[string]string { merging(b); return nil },
		func(b *storetest.Box) { b.Git("commit", "-q", "-m", "merged") }},
	"a bisect": {gitops.WhyBisect,
		func(b *storetest.Box) map[string]string { b.Git("bisect", "start"); return nil },
		func(b *storetest.Box) { b.Git("bisect", "reset") }},
	"memctl.commit off": {WhyCommitOff,
		func(b *storetest.Box) map[string]string { return map[string]string{"MEMCTL_COMMIT": "off"} }, func(*storetest.Box) {}},
	"a protected branch": {WhyProtected,
		func(b *storetest.Box) map[string]string { return map[string]string{"MEMCTL_PROTECTED_BRANCH": "ma*"} }, func(*storetest.Box) {}},
	"signing that fails": {gitops.WhySigning,
		func(b *storetest.Box) map[string]string {
			b.Git("config", "commit.gpgSign", "true")
			b.Git("config", "gpg.program", "/bin/false")
			return nil
		},
		func(b *storetest.Box) { b.Git("config", "commit.gpgSign", "false") }},
}

func TestAnAutomaticWriteWaitsAndLeavesTheTreeClean(t *testing.T) {
	for name, state := range busy {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			env := state.begin(b)
			status, count := b.Git("status", "--porcelain"), len(b.Subjects())
			_, err := Update(t.Context(), b.ProjectWith(env), add("c.d", true))
			if fault.Why(err, fault.Deferred) != state.why {
				t.Fatalf("got %v, want deferred: %s", err, state.why)
			}
			if now := b.Git("status", "--porcelain"); now != status || len(b.Subjects()) != count || b.Read(memfile.FileName) != storetest.WithItem("a.b", "one") {
				t.Errorf("the tree was %q and is %q", status, now)
			}
			state.end(b)
			must(b, add("c.d", true)) // the same works when the state is over
		})
	}
}

func TestAnExplicitWriteStandsAndIsCommittedByTheNext(t *testing.T) {
	for name, state := range busy {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			env := state.begin(b)
			count := len(b.Subjects())
			for _, key := range []string{"c.d", "e.f"} {
				out, err := Update(t.Context(), b.ProjectWith(env), add(key, false))
				if err != nil || out.Commit != "" || out.Why != state.why || !out.Changed {
					t.Fatalf("%v, %+v; want it written, and why %q", err, out, state.why)
				}
			}
			if len(b.Subjects()) != count || !strings.Contains(b.Read(memfile.FileName), "e.f") {
				t.Fatalf("commits %q\n%s", b.Subjects(), b.Read(memfile.FileName))
			}
			acts, err := ledger.Acts(t.Context(), b.ProjectWith(env).Stores, ledger.All)
			if err == nil && len(acts) == 2 {
				_, err = ledger.Fill(t.Context(), b.Project(), &acts[1])
			}
			if err != nil || len(acts) != 2 || acts[1].Commit != "" || len(acts[1].Changes) != 1 || acts[1].Changes[0].Before == nil {
				t.Errorf("%v: undo could not take them back: %+v", err, acts)
			}
			state.end(b)
			must(b, add("g.h", false))
			if got := b.Subjects()[:2]; !slices.Equal(got, []string{"memory: add g.h", "memory: commit pending writes (2)"}) {
				t.Errorf("commits %q", got)
			}
			body := b.Git("show", "-s", "--format=%b", "HEAD~1")
			for _, trailer := range []string{"Memory-Key: c.d", "Memory-Key: e.f", "Memory-Act: add", "Memory-Scope: project"} {
				if !strings.Contains(body, trailer) {
					t.Errorf("no %q in\n%s", trailer, body)
				}
			}
			must(b, add("i.j", false))
			if again := b.Git("show", "-s", "--format=%b", "HEAD"); strings.Contains(again, "c.d") {
				t.Errorf("what waited is told twice:\n%s", again)
			}
		})
	}
}

func TestWhatWaitedAndWasEditedIsTheEditors(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	merging(b)
	must(b, add("c.d", false))
	b.Git("commit", "-q", "-m", "merged")
	b.Write(memfile.FileName, strings.Replace(b.Read(memfile.FileName), "value of c.d", "by hand", 1))
	must(b, add("e.f", false))
	if got := b.Subjects()[:2]; !slices.Equal(got, []string{"memory: add e.f", "memory: edit by hand"}) {
		t.Errorf("commits %q", got)
	}
}

func TestStagedOnly(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	out, err := Update(t.Context(), b.ProjectWith(map[string]string{"MEMCTL_COMMIT": "stage"}), add("c.d", false))
	if err != nil || out.Why != WhyStageOnly || out.Commit != "" {
		t.Fatalf("%v, %+v", err, out)
	}
	if status := b.Git("status", "--porcelain"); status != "M  "+memfile.FileName {
		t.Errorf("git status: %q", status)
	}
}

func TestCrashLeftovers(t *testing.T) {
	for name, leave := range map[string]func(*storetest.Box){
		"written, and killed before the commit": func(b *storetest.Box) { b.Write(memfile.FileName, storetest.WithItem("a.b", "written")) },
		"staged, and killed before the commit": func(b *storetest.Box) {
			b.Write(memfile.FileName, storetest.WithItem("a.b", "written"))
			b.Git("add", memfile.FileName)
		},
		"a temporary file beside it": func(b *storetest.Box) {
			b.Write(".memctl-tmp-1234", "half")
			b.Write(memfile.FileName, storetest.WithItem("a.b", "written"))
		},
		"a lock file of a process that is gone": func(b *storetest.Box) {
			dir := filepath.Join(b.Root, ".git", "memctl")
			if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "lock"), []byte("\x00999999 memctl add\n"), 0o600)); err != nil {
				b.T.Fatal(err)
			}
			b.Write(memfile.FileName, storetest.WithItem("a.b", "written"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			leave(b)
			out := must(b, add("c.d", false))
			if out.Commit == "" || out.Commit != b.Git("rev-parse", "HEAD") {
				t.Errorf("%+v", out)
			}
			if head := b.Git("show", "HEAD:"+memfile.FileName) + "\n"; head != b.Read(memfile.FileName) || !strings.Contains(head, "written") || !strings.Contains(head, "c.d") {
				t.Errorf("HEAD holds\n%s", head)
			}
			acts, err := ledger.Acts(t.Context(), b.Project().Stores, ledger.All)
			if err != nil || len(acts) == 0 || acts[len(acts)-1].Commit != out.Commit {
				t.Errorf("%v: the act is not known to undo: %+v", err, acts)
			}
			b.Git("fsck", "--strict")
		})
	}
}

func TestAFileThatChangesDuringTheActIsNotOverwritten(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	w := add("c.d", false)
	change := w.Change
	once := sync.OnceFunc(func() { b.Write(memfile.FileName, storetest.WithItem("a.b", "meanwhile")) })
	w.Change = func(doc *Draft) error {
		once()
		return change(doc)
	}
	out := must(b, w)
	if want := []string{"memory: add c.d", "memory: edit by hand", "begin"}; !slices.Equal(b.Subjects(), want) {
		t.Errorf("commits %q", b.Subjects())
	}
	if now := b.Read(memfile.FileName); !strings.Contains(now, "meanwhile") || !strings.Contains(now, "c.d") || out.Commit == "" {
		t.Errorf("%+v\n%s", out, now)
	}
}

func TestOutsideARepositoryAllWorksWithoutCommits(t *testing.T) {
	b := storetest.Plain(t)
	must(b, Write{Act: "init", Create: true, Wait: time.Second, Change: func(*Draft) error { return nil }})
	for _, automatic := range []bool{false, true} {
		out := must(b, add(map[bool]string{false: "a.b", true: "c.d"}[automatic], automatic))
		if !out.Changed || out.Commit != "" || out.Why != WhyNoRepository {
			t.Errorf("%+v", out)
		}
	}
	entries, err := os.ReadDir(b.Root)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v: the folder holds more than the memory file: %v", err, entries)
	}
	if err := contents.History(t.Context(), b.Project(), contents.OfHead, false, func(contents.Version) bool { return true }); !fault.Is(err, fault.NoHistory) {
		t.Errorf("got %v", err)
	}
}
