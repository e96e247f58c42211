package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
)

// journal lists the subjects of the journal's entries, newest first.
func (b *box) journal() []string {
	b.t.Helper()
	return strings.Split(b.git("log", "--format=%s", committer.JournalRef), "\n")
}

func TestEveryWriteIsInTheJournal(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.must(add("c.d", false))
	b.git("bisect", "start")
	b.must(add("e.f", false))
	b.must(withFilesOnly())
	b.git("bisect", "reset")
	b.must(add("g.h", true))
	want := []string{"memory: add g.h", "memory: commit what waited (2)", "memory: remember a thing", "memory: add e.f", "memory: add c.d", "memory: as found"}
	if got := b.journal(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := b.git("show", "-s", "--format=%an <%ae>%n%b", committer.JournalRef); got != "Ada <ada@example.com>\nMemory-Act: add\nMemory-Key: g.h\nMemory-Scope: project\nMemory-Source: test\nJournal-Branch: refs/heads/main\nJournal-Commit: "+
		b.git("rev-parse", "HEAD")+"\nJournal-Entry: 6" {
		t.Errorf("%s", got)
	}
	if got := b.git("show", "-s", "--format=%b", committer.JournalRef+"~2"); !strings.Contains(got, "Journal-Why: bisect in progress") || strings.Contains(got, "Journal-Commit") {
		t.Errorf("%s", got)
	}
	if got := b.git("ls-tree", "-r", "--name-only", committer.JournalRef+"~1"); got != memfile.FileName+"\n"+factPath {
		t.Errorf("more than memory's files: %s", got)
	}
	if n := b.git("rev-list", "--count", committer.JournalRef); n != "6" {
		t.Errorf("%s commits, so some are not the journal's", n)
	}
	if got := b.git("show", committer.JournalRef+":"+memfile.FileName) + "\n"; got != b.read(memfile.FileName) {
		t.Errorf("%s", got)
	}
	b.git("fsck", "--strict")
}

func TestTheJournalOutlivesWhatHappensToTheBranch(t *testing.T) {
	for name, form := range map[string][]string{"SHA-1": nil, "SHA-256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			b := plainBox(t)
			b.git(append([]string{"init", "-q"}, form...)...)
			b.write("other.txt", "one\n")
			b.git("add", ".")
			b.git("commit", "-q", "-m", "begin")
			w := add("c.d", false)
			w.Create = true
			b.must(w)
			b.must(withFilesOnly())
			b.write(".env", "TOKEN="+aSecret)
			b.git("add", "-f", ".env")
			b.git("commit", "-q", "-m", "a secret")
			secret := b.git("rev-parse", "HEAD:.env")
			b.must(add("e.f", false))
			b.git("reset", "-q", "--hard", "HEAD~4")
			b.git("reflog", "expire", "--expire=now", "--all")
			b.git("gc", "-q", "--prune=now")
			if err := os.RemoveAll(filepath.Join(b.root, ".git", "refs", "memctl")); err != nil { // gc packs refs
				t.Fatal(err)
			}
			found := map[string]bool{}
			err := b.project().JournalHistory(t.Context(), func(v Version, _ []object.ChangedFile, e committer.JournalEntry) bool {
				of := e.Commit
				for _, d := range v.Deltas() {
					found[d.Key] = of != ""
				}
				return true
			})
			if err != nil || !found["c.d"] || !found["e.f"] {
				t.Errorf("%v: %v", err, found)
			}
			if out := b.git("cat-file", "--batch-check", "--batch-all-objects"); strings.Contains(out, secret) {
				t.Error("the person's discarded secret is still there")
			}
			b.must(w) // goes on where the journal is packed
			if got := b.journal(); len(got) != 4 || got[0] != "memory: add c.d" {
				t.Errorf("%q", got)
			}
			b.git("fsck", "--strict")
		})
	}
}

func TestASecretThatAPersonCommittedIsNotInTheJournal(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one")+"\nMy token: "+aSecret+"\n")
	b.must(add("c.d", false))
	b.must(add("e.f", false))
	if got := b.journal(); len(got) != 3 {
		t.Errorf("%q", got)
	}
	for _, rev := range []string{"", "~1", "~2"} {
		text := b.git("show", committer.JournalRef+rev+":"+memfile.FileName)
		if strings.Contains(text, aSecret) || !strings.Contains(text, "key: a.b") {
			t.Errorf("%s:\n%s", rev, text)
		}
	}
	if !strings.Contains(b.git("show", committer.JournalRef+":"+memfile.FileName), "e.f") {
		t.Error("the write itself is not in it")
	}
}

func TestAJournalThatFailsFailsNoWrite(t *testing.T) {
	for name, damage := range map[string]func(*box) string{
		"a file in the way": func(b *box) string { b.write(".git/refs/memctl", "x\n"); return "the journal does not have" },
		"a torn ref": func(b *box) string {
			b.must(add("x.y", false))
			b.write(".git/"+committer.JournalRef, "")
			return ""
		},
		"a ref to nothing": func(b *box) string {
			b.must(add("x.y", false))
			b.write(".git/"+committer.JournalRef, strings.Repeat("1", 40)+"\n")
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			note := damage(b)
			out := b.must(add("c.d", false))
			if out.Commit == "" || (note == "") != (len(out.Notes) == 0) || !strings.Contains(strings.Join(out.Notes, "\n"), note) {
				t.Errorf("%+v", out)
			}
			if note == "" && b.journal()[0] != "memory: add c.d" {
				t.Errorf("%q", b.journal())
			}
		})
	}
}

func TestTheJournalCanBeSwitchedOff(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	if _, err := b.projectWith(map[string]string{"MEMCTL_JOURNAL": "false"}).Update(t.Context(), add("c.d", false)); err != nil {
		t.Fatal(err)
	}
	if refs := b.git("for-each-ref", "refs/memctl"); refs != "" {
		t.Errorf("%s", refs)
	}
}
