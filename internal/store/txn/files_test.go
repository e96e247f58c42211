package txn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// changing is an act that changes files alone.
func changing(list ...store.FileChange) Write {
	w := Write{Act: "remember", Subject: "remember a thing", Source: "test", Wait: time.Second, Create: true, Change: func(*Draft) error { return nil }}
	return and(w, list...)
}

// and is the write with changes of files.
func and(w Write, list ...store.FileChange) Write {
	change := w.Change
	w.Files, w.Change = true, func(d *Draft) error {
		d.files = append(d.files, list...)
		return change(d)
	}
	return w
}

const factPath = "memories/entries/project/facts/one.md"

func TestOneActChangesSeveralFiles(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Write("other.txt", "mine, and not to be swept in\n")
	w := and(add("c.d", false), store.FileChange{Path: factPath, After: []byte("fact\n")}, store.FileChange{Path: "memories/notes/x.md", After: []byte("note\n")})
	out := must(b, w)
	if out.Commit == "" || len(out.Files) != 2 || b.Read(factPath) != "fact\n" {
		t.Fatalf("%+v", out)
	}
	if got := b.Git("show", "--format=", "--name-only"); got != "memories.md\n"+factPath+"\nmemories/notes/x.md" {
		t.Errorf("committed: %s", got)
	}
	// Files alone leave the memory file as it is.
	out = must(b, changing(store.FileChange{Path: factPath, Before: []byte("fact\n")}, store.FileChange{Path: "memories/notes/x.md", Before: []byte("note\n"), After: []byte("two\n")}))
	if got := b.Git("show", "--format=%s", "--name-status"); got != "memory: remember a thing\n\nD\t"+factPath+"\nM\tmemories/notes/x.md" {
		t.Errorf("committed: %s", got)
	}
	if _, err := os.Stat(filepath.Join(b.Root, "memories/entries")); !errors.Is(err, os.ErrNotExist) {
		t.Error("empty folders are left behind")
	}
	if status := b.Git("status", "--porcelain"); status != "M other.txt" {
		t.Errorf("status: %s", status)
	}
	if out := must(b, changing(store.FileChange{Path: "memories/notes/x.md", Before: []byte("two\n"), After: []byte("two\n")})); out.Changed || out.Why != WhyUnchanged {
		t.Errorf("%+v", out)
	}
}

func TestADryRunShowsEveryFile(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	w := changing(store.FileChange{Path: factPath, After: []byte("fact\n")})
	out, err := Update(t.Context(), b.Project().Trial(), w)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.Diff, "+++ b/"+factPath) || !strings.Contains(out.Diff, "+fact") || out.Commit != "" {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(b.Root, "memories")); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written")
	}
}

func TestWhatIsNoFileUnderMemoriesIsRefused(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	for _, path := range []string{"memories.md", "x.md", "memories/../x.md", "/memories/x.md", "memories/.git/x", "memories/.GIT/x", "memories//x.md", "memories/", `memories/a\b`, "memories"} {
		if _, err := Update(t.Context(), b.Project(), changing(store.FileChange{Path: path, After: []byte("x")})); err == nil || !strings.Contains(err.Error(), "not the path of a file of memory") {
			t.Errorf("%q: %v", path, err)
		}
	}
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(b.Root, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.Root, "memories/out")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("../other.txt", filepath.Join(b.Root, "memories/link.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"memories/out/x.md", "memories/link.md"} {
		for _, before := range [][]byte{nil, []byte("one\n")} {
			if _, err := Update(t.Context(), b.Project(), changing(store.FileChange{Path: path, Before: before, After: []byte("x")})); !fault.Is(err, fault.NotAFile) {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Error("the link was followed")
	}
}

func TestAFileThatIsNotWhatTheActTookItForEndsTheAct(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	must(b, changing(store.FileChange{Path: factPath, After: []byte("fact\n")}))
	for name, before := range map[string][]byte{"made meanwhile": nil, "changed meanwhile": []byte("other\n"), "longer": []byte("fact\nand more\n")} {
		w := and(add("c.d", false), store.FileChange{Path: "memories/new.md", After: []byte("new\n")}, store.FileChange{Path: factPath, Before: before, After: []byte("x\n")})
		if _, err := Update(t.Context(), b.Project(), w); !fault.Is(err, fault.ChangedOnDisk) {
			t.Errorf("%s: %v", name, err)
		}
		if status := b.Git("status", "--porcelain"); status != "" || b.Read(memfile.FileName) != storetest.WithItem("a.b", "one") {
			t.Errorf("%s: %s", name, status)
		}
	}
}

func TestASecretInAFileEndsTheAct(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	if _, err := Update(t.Context(), b.Project(), changing(store.FileChange{Path: factPath, After: []byte("token " + aSecret + "\n")})); !fault.Is(err, fault.Secret) || !strings.Contains(err.Error(), factPath) {
		t.Errorf("%v", err)
	}
	// Likewise what a person wrote into a file that the act changes.
	must(b, changing(store.FileChange{Path: factPath, After: []byte("fact\n")}))
	b.Write(factPath, "token "+aSecret+"\n")
	if _, err := Update(t.Context(), b.Project(), changing(store.FileChange{Path: factPath, Before: []byte("token " + aSecret + "\n"), After: []byte("x\n")})); !fault.Is(err, fault.Secret) {
		t.Errorf("%v", err)
	}
}

func TestAPersonsEditOfAFileIsCommittedFirst(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	must(b, changing(store.FileChange{Path: factPath, After: []byte("fact\n")}, store.FileChange{Path: "memories/notes/x.md", After: []byte("note\n")}))
	b.Write(factPath, "fact by hand\n")
	b.Write("memories/notes/x.md", "another edit\n")
	must(b, changing(store.FileChange{Path: factPath, Before: []byte("fact by hand\n"), After: []byte("fact by hand, and more\n")}))
	if got := b.Subjects()[:2]; got[0] != "memory: remember a thing" || got[1] != "memory: edit by hand" {
		t.Errorf("subjects: %q", got)
	}
	if got := b.Git("show", "HEAD~:"+factPath); got != "fact by hand" {
		t.Errorf("the edit: %q", got)
	}
	if status := b.Git("status", "--porcelain"); status != "M memories/notes/x.md" {
		t.Errorf("what the act did not touch: %q", status)
	}
}

func TestAnAutomaticActWithFilesLeavesTheTreeClean(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Git("config", "commit.gpgSign", "true")
	b.Git("config", "gpg.program", "/bin/false") // found out by trying, when all is written
	w := changing(store.FileChange{Path: factPath, After: []byte("fact\n")})
	w.Clean = true
	if _, err := Update(t.Context(), b.Project(), w); !fault.Is(err, fault.Deferred) {
		t.Fatal(err)
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("left behind: %s", status)
	}
}

func TestThousandsOfFilesInOneAct(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	var list, gone []store.FileChange
	for i := range 2000 {
		c := store.FileChange{Path: fmt.Sprintf("memories/entries/project/facts/%032d.md", i), After: fmt.Appendf(nil, "fact %d\n", i)}
		list = append(list, c)
		gone = append(gone, store.FileChange{Path: c.Path, Before: c.After})
	}
	if out := must(b, changing(list...)); out.Commit == "" {
		t.Fatalf("%+v", out)
	}
	if got := strings.Count(b.Git("show", "--format=", "--name-only"), "\n") + 1; got != 2000 {
		t.Errorf("committed: %d", got)
	}
	must(b, changing(gone...))
	if status := b.Git("status", "--porcelain") + b.Git("ls-files", "memories"); status != "" {
		t.Errorf("left: %.200s", status)
	}
}
