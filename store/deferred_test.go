package store

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
	"github.com/memctl/memctl/memfile"
)

// merging brings the box into the middle of a merge of another file.
func (b *box) merging() {
	b.t.Helper()
	b.git("switch", "-q", "-c", "side")
	b.write("side.txt", "side\n")
	b.git("add", "side.txt")
	b.git("commit", "-q", "-m", "side")
	b.git("switch", "-q", "main")
	b.git("merge", "-q", "--no-commit", "--no-ff", "side")
}

// busy are the states in which nothing can be committed.
var busy = map[string]struct {
	why   string
	begin func(*box) map[string]string // gives the environment
	end   func(*box)
}{
	"a merge": {gitops.WhyMerge,
		func(b *box) map[string]string { b.merging(); return nil },
		func(b *box) { b.git("commit", "-q", "-m", "merged") }},
	"a bisect": {gitops.WhyBisect,
		func(b *box) map[string]string { b.git("bisect", "start"); return nil },
		func(b *box) { b.git("bisect", "reset") }},
	"memctl.commit off": {WhyCommitOff,
		func(b *box) map[string]string { return map[string]string{"MEMCTL_COMMIT": "off"} }, func(*box) {}},
	"a protected branch": {WhyProtected,
		func(b *box) map[string]string { return map[string]string{"MEMCTL_PROTECTED_BRANCH": "ma*"} }, func(*box) {}},
	"signing that fails": {gitops.WhySigning,
		func(b *box) map[string]string {
			b.git("config", "commit.gpgSign", "true")
			b.git("config", "gpg.program", "/bin/false")
			return nil
		},
		func(b *box) { b.git("config", "commit.gpgSign", "false") }},
}

func TestAnAutomaticWriteWaitsAndLeavesTheTreeClean(t *testing.T) {
	for name, state := range busy {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			env := state.begin(b)
			status, count := b.git("status", "--porcelain"), len(b.subjects())
			_, err := b.projectWith(env).Update(t.Context(), add("c.d", true))
			var deferred *DeferredError
			if !errors.As(err, &deferred) || deferred.Why != state.why {
				t.Fatalf("got %v, want deferred: %s", err, state.why)
			}
			if now := b.git("status", "--porcelain"); now != status || len(b.subjects()) != count || b.read(memfile.FileName) != withItem("a.b", "one") {
				t.Errorf("the tree was %q and is %q", status, now)
			}
			state.end(b)
			b.must(add("c.d", true)) // the same works when the state is over
		})
	}
}

func TestAnExplicitWriteStandsAndIsCommittedByTheNext(t *testing.T) {
	for name, state := range busy {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			env := state.begin(b)
			count := len(b.subjects())
			for _, key := range []string{"c.d", "e.f"} {
				out, err := b.projectWith(env).Update(t.Context(), add(key, false))
				if err != nil || out.Commit != "" || out.Why != state.why || !out.Changed {
					t.Fatalf("%v, %+v; want it written, and why %q", err, out, state.why)
				}
			}
			if len(b.subjects()) != count || !strings.Contains(b.read(memfile.FileName), "e.f") {
				t.Fatalf("commits %q\n%s", b.subjects(), b.read(memfile.FileName))
			}
			acts, err := b.projectWith(env).ss.Acts(t.Context())
			if err == nil && len(acts) == 2 {
				err = b.project().ss.Fill(t.Context(), &acts[1])
			}
			if err != nil || len(acts) != 2 || acts[1].Commit != "" || acts[1].Before == nil || acts[1].After == nil {
				t.Errorf("%v: undo could not take them back: %+v", err, acts)
			}
			state.end(b)
			b.must(add("g.h", false))
			if got := b.subjects()[:2]; !slices.Equal(got, []string{"memory: add g.h", "memory: commit what waited (2)"}) {
				t.Errorf("commits %q", got)
			}
			body := b.git("show", "-s", "--format=%b", "HEAD~1")
			for _, trailer := range []string{"Memory-Key: c.d", "Memory-Key: e.f", "Memory-Act: add", "Memory-Scope: project"} {
				if !strings.Contains(body, trailer) {
					t.Errorf("no %q in\n%s", trailer, body)
				}
			}
			b.must(add("i.j", false))
			if again := b.git("show", "-s", "--format=%b", "HEAD"); strings.Contains(again, "c.d") {
				t.Errorf("what waited is told twice:\n%s", again)
			}
		})
	}
}

func TestWhatWaitedAndWasEditedIsTheEditors(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.merging()
	b.must(add("c.d", false))
	b.git("commit", "-q", "-m", "merged")
	b.write(memfile.FileName, strings.Replace(b.read(memfile.FileName), "value of c.d", "by hand", 1))
	b.must(add("e.f", false))
	if got := b.subjects()[:2]; !slices.Equal(got, []string{"memory: add e.f", "memory: edit by hand"}) {
		t.Errorf("commits %q", got)
	}
}

func TestStagedOnly(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	out, err := b.projectWith(map[string]string{"MEMCTL_COMMIT": "stage"}).Update(t.Context(), add("c.d", false))
	if err != nil || out.Why != WhyStageOnly || out.Commit != "" {
		t.Fatalf("%v, %+v", err, out)
	}
	if status := b.git("status", "--porcelain"); status != "M  "+memfile.FileName {
		t.Errorf("git status: %q", status)
	}
}

func TestCrashLeftovers(t *testing.T) {
	for name, leave := range map[string]func(*box){
		"written, and killed before the commit": func(b *box) { b.write(memfile.FileName, withItem("a.b", "written")) },
		"staged, and killed before the commit": func(b *box) {
			b.write(memfile.FileName, withItem("a.b", "written"))
			b.git("add", memfile.FileName)
		},
		"a temporary file beside it": func(b *box) {
			b.write(".memctl-tmp-1234", "half")
			b.write(memfile.FileName, withItem("a.b", "written"))
		},
		"a torn line in the record of acts": func(b *box) {
			b.must(add("e.f", false))
			path := filepath.Join(b.root, ".git", "memctl", ledgerFile)
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append(data, []byte(`{"id":"123456789012","state":"begun","act":{"id":"12`)...), 0o600)
			}
			if err != nil {
				b.t.Fatal(err)
			}
			b.write(memfile.FileName, strings.Replace(b.read(memfile.FileName), "value: one", "value: written", 1))
		},
		"a lock file of a process that is gone": func(b *box) {
			dir := filepath.Join(b.root, ".git", "memctl")
			if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "lock"), []byte("\x00999999 memctl add\n"), 0o600)); err != nil {
				b.t.Fatal(err)
			}
			b.write(memfile.FileName, withItem("a.b", "written"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			leave(b)
			out := b.must(add("c.d", false))
			if out.Commit == "" || out.Commit != b.git("rev-parse", "HEAD") {
				t.Errorf("%+v", out)
			}
			if head := b.git("show", "HEAD:"+memfile.FileName) + "\n"; head != b.read(memfile.FileName) || !strings.Contains(head, "written") || !strings.Contains(head, "c.d") {
				t.Errorf("HEAD holds\n%s", head)
			}
			acts, err := b.project().ss.Acts(t.Context())
			if err != nil || len(acts) == 0 || acts[len(acts)-1].Commit != out.Commit {
				t.Errorf("%v: the act is not known to undo: %+v", err, acts)
			}
			b.git("fsck", "--strict")
		})
	}
}

func TestAFileThatChangesDuringTheActIsNotOverwritten(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	w := add("c.d", false)
	change := w.Change
	once := sync.OnceFunc(func() { b.write(memfile.FileName, withItem("a.b", "meanwhile")) })
	w.Change = func(doc *memfile.Document) error {
		once()
		return change(doc)
	}
	out := b.must(w)
	if want := []string{"memory: add c.d", "memory: edit by hand", "begin"}; !slices.Equal(b.subjects(), want) {
		t.Errorf("commits %q", b.subjects())
	}
	if now := b.read(memfile.FileName); !strings.Contains(now, "meanwhile") || !strings.Contains(now, "c.d") || out.Commit == "" {
		t.Errorf("%+v\n%s", out, now)
	}
}

func TestOutsideARepositoryAllWorksWithoutCommits(t *testing.T) {
	b := plainBox(t)
	b.must(Write{Act: "init", Create: true, Wait: time.Second, Change: func(*memfile.Document) error { return nil }})
	for _, automatic := range []bool{false, true} {
		out := b.must(add(map[bool]string{false: "a.b", true: "c.d"}[automatic], automatic))
		if !out.Changed || out.Commit != "" || out.Why != WhyNoRepository {
			t.Errorf("%+v", out)
		}
	}
	entries, err := os.ReadDir(b.root)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v: the folder holds more than the memory file: %v", err, entries)
	}
	var none *NoHistoryError
	if err := b.project().History(t.Context(), func(Version) bool { return true }); !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
}
