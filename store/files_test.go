package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
)

// changing is an act that changes files alone.
func changing(list ...FileChange) Write {
	return Write{Act: "remember", Subject: "remember a thing", Source: "test", Wait: time.Second, Create: true,
		Files: func() ([]FileChange, error) { return list, nil }}
}

const factPath = "memories/entries/project/facts/one.md"

func TestOneActChangesSeveralFiles(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.write("other.txt", "mine, and not to be swept in\n")
	w := add("c.d", false)
	w.Files = changing(FileChange{Path: factPath, After: []byte("fact\n")}, FileChange{Path: "memories/notes/x.md", After: []byte("note\n")}).Files
	out := b.must(w)
	if out.Commit == "" || len(out.Files) != 2 || b.read(factPath) != "fact\n" {
		t.Fatalf("%+v", out)
	}
	if got := b.git("show", "--format=", "--name-only"); got != "memories.md\n"+factPath+"\nmemories/notes/x.md" {
		t.Errorf("committed: %s", got)
	}
	// Files alone leave the memory file as it is.
	out = b.must(changing(FileChange{Path: factPath, Before: []byte("fact\n")}, FileChange{Path: "memories/notes/x.md", Before: []byte("note\n"), After: []byte("two\n")}))
	if got := b.git("show", "--format=%s", "--name-status"); got != "memory: remember a thing\n\nD\t"+factPath+"\nM\tmemories/notes/x.md" {
		t.Errorf("committed: %s", got)
	}
	if _, err := os.Stat(filepath.Join(b.root, "memories/entries")); !errors.Is(err, os.ErrNotExist) {
		t.Error("empty folders are left behind")
	}
	if status := b.git("status", "--porcelain"); status != "M other.txt" {
		t.Errorf("status: %s", status)
	}
	if out := b.must(changing(FileChange{Path: "memories/notes/x.md", Before: []byte("two\n"), After: []byte("two\n")})); out.Changed || out.Why != WhyUnchanged {
		t.Errorf("%+v", out)
	}
}

func TestADryRunShowsEveryFile(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	w := changing(FileChange{Path: factPath, After: []byte("fact\n")})
	w.DryRun = true
	out := b.must(w)
	if !strings.Contains(out.Diff, "+++ b/"+factPath) || !strings.Contains(out.Diff, "+fact") || out.Commit != "" {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(b.root, "memories")); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written")
	}
}

func TestWhatIsNoFileUnderMemoriesIsRefused(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	for _, path := range []string{"memories.md", "x.md", "memories/../x.md", "/memories/x.md", "memories/.git/x", "memories/.GIT/x", "memories//x.md", "memories/", `memories/a\b`, "memories"} {
		if _, err := b.project().Update(t.Context(), changing(FileChange{Path: path, After: []byte("x")})); err == nil || !strings.Contains(err.Error(), "no path of a file under") {
			t.Errorf("%q: %v", path, err)
		}
	}
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(b.root, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.root, "memories/out")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("../other.txt", filepath.Join(b.root, "memories/link.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"memories/out/x.md", "memories/link.md"} {
		var bad *safefile.NotAFileError
		for _, before := range [][]byte{nil, []byte("one\n")} {
			if _, err := b.project().Update(t.Context(), changing(FileChange{Path: path, Before: before, After: []byte("x")})); !errors.As(err, &bad) {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Error("the link was followed")
	}
}

func TestAFileThatIsNotWhatTheActTookItForEndsTheAct(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.must(changing(FileChange{Path: factPath, After: []byte("fact\n")}))
	for name, before := range map[string][]byte{"made meanwhile": nil, "changed meanwhile": []byte("other\n"), "longer": []byte("fact\nand more\n")} {
		w := add("c.d", false)
		w.Files = changing(FileChange{Path: "memories/new.md", After: []byte("new\n")}, FileChange{Path: factPath, Before: before, After: []byte("x\n")}).Files
		var changed *safefile.ChangedError
		if _, err := b.project().Update(t.Context(), w); !errors.As(err, &changed) {
			t.Errorf("%s: %v", name, err)
		}
		if status := b.git("status", "--porcelain"); status != "" || b.read(memfile.FileName) != withItem("a.b", "one") {
			t.Errorf("%s: %s", name, status)
		}
	}
}

func TestASecretInAFileEndsTheAct(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	var secret *SecretError
	if _, err := b.project().Update(t.Context(), changing(FileChange{Path: factPath, After: []byte("token " + aSecret + "\n")})); !errors.As(err, &secret) || secret.Name != factPath {
		t.Errorf("%v", err)
	}
	// Likewise what a person wrote into a file that the act changes.
	b.must(changing(FileChange{Path: factPath, After: []byte("fact\n")}))
	b.write(factPath, "token "+aSecret+"\n")
	if _, err := b.project().Update(t.Context(), changing(FileChange{Path: factPath, Before: []byte("token " + aSecret + "\n"), After: []byte("x\n")})); !errors.As(err, &secret) {
		t.Errorf("%v", err)
	}
}

func TestAPersonsEditOfAFileIsCommittedFirst(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.must(changing(FileChange{Path: factPath, After: []byte("fact\n")}, FileChange{Path: "memories/notes/x.md", After: []byte("note\n")}))
	b.write(factPath, "fact by hand\n")
	b.write("memories/notes/x.md", "another edit\n")
	b.must(changing(FileChange{Path: factPath, Before: []byte("fact by hand\n"), After: []byte("fact by hand, and more\n")}))
	if got := b.subjects()[:2]; got[0] != "memory: remember a thing" || got[1] != "memory: edit by hand" {
		t.Errorf("subjects: %q", got)
	}
	if got := b.git("show", "HEAD~:"+factPath); got != "fact by hand" {
		t.Errorf("the edit: %q", got)
	}
	if status := b.git("status", "--porcelain"); status != "M memories/notes/x.md" {
		t.Errorf("what the act did not touch: %q", status)
	}
}

func TestAnAutomaticActWithFilesLeavesTheTreeClean(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.git("config", "commit.gpgSign", "true")
	b.git("config", "gpg.program", "/bin/false") // found out by trying, when all is written
	w := changing(FileChange{Path: factPath, After: []byte("fact\n")})
	w.Clean = true
	var deferred *DeferredError
	if _, err := b.project().Update(t.Context(), w); !errors.As(err, &deferred) {
		t.Fatal(err)
	}
	if status := b.git("status", "--porcelain"); status != "" {
		t.Errorf("left behind: %s", status)
	}
}

func TestThousandsOfFilesInOneAct(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	var list, gone []FileChange
	for i := range 2000 {
		c := FileChange{Path: fmt.Sprintf("memories/entries/project/facts/%032d.md", i), After: fmt.Appendf(nil, "fact %d\n", i)}
		list = append(list, c)
		gone = append(gone, FileChange{Path: c.Path, Before: c.After})
	}
	if out := b.must(changing(list...)); out.Commit == "" {
		t.Fatalf("%+v", out)
	}
	if got := strings.Count(b.git("show", "--format=", "--name-only"), "\n") + 1; got != 2000 {
		t.Errorf("committed: %d", got)
	}
	b.must(changing(gone...))
	if status := b.git("status", "--porcelain") + b.git("ls-files", "memories"); status != "" {
		t.Errorf("left: %.200s", status)
	}
}
