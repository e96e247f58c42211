package txn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// journal lists the subjects of the journal's entries, newest first.
func journal(b *storetest.Box) []string {
	b.T.Helper()
	return strings.Split(b.Git("log", "--format=%s", committer.JournalRef), "\n")
}

func TestEveryWriteIsInTheJournal(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	must(b, add("c.d", false))
	b.Git("bisect", "start")
	must(b, add("e.f", false))
	must(b, withFilesOnly())
	b.Git("bisect", "reset")
	must(b, add("g.h", true))
	want := []string{"memory: add g.h", "memory: commit pending writes (2)", "memory: remember a thing", "memory: add e.f", "memory: add c.d"}
	if got := journal(b); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got, act, _ := strings.Cut(b.Git("show", "-s", "--format=%an <%ae>%n%b", committer.JournalRef), "\nJournal-Act: ")
	got, tree, _ := strings.Cut(got, "\nJournal-Tree: ")
	if _, number, _ := strings.Cut(act, "\n"); len(tree) < 16 || got+"\n"+number != "Ada <ada@example.com>\nMemory-Act: add\nMemory-Key: g.h\nMemory-Scope: project\nMemory-Source: test\nJournal-Branch: refs/heads/main\nJournal-Commit: "+
		b.Git("rev-parse", "HEAD")+"\nJournal-Entry: 5" {
		t.Errorf("%s", got)
	}
	if got := b.Git("show", "-s", "--format=%b", committer.JournalRef+"~2"); !strings.Contains(got, "Journal-Why: bisect in progress") || strings.Contains(got, "Journal-Commit") {
		t.Errorf("%s", got)
	}
	if got := b.Git("ls-tree", "-r", "--name-only", committer.JournalRef+"~1"); got != committer.BeforeFolder+memfile.FileName+"\n"+memfile.FileName+"\n"+factPath {
		t.Errorf("more than memory's files: %s", got)
	}
	if n := b.Git("rev-list", "--count", committer.JournalRef); n != "5" {
		t.Errorf("%s commits, so some are not the journal's", n)
	}
	if got := b.Git("show", committer.JournalRef+":"+memfile.FileName) + "\n"; got != b.Read(memfile.FileName) {
		t.Errorf("%s", got)
	}
	b.Git("fsck", "--strict")
}

func TestTheJournalOutlivesWhatHappensToTheBranch(t *testing.T) {
	for name, form := range map[string][]string{"SHA-1": nil, "SHA-256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Plain(t)
			b.Git(append([]string{"init", "-q"}, form...)...)
			b.Write("other.txt", "one\n")
			b.Git("add", ".")
			b.Git("commit", "-q", "-m", "begin")
			w := add("c.d", false)
			w.Create = true
			must(b, w)
			must(b, withFilesOnly())
			b.Write(".env", "TOKEN="+aSecret)
			b.Git("add", "-f", ".env")
			b.Git("commit", "-q", "-m", "a secret")
			secret := b.Git("rev-parse", "HEAD:.env")
			must(b, add("e.f", false))
			b.Git("reset", "-q", "--hard", "HEAD~4")
			b.Git("reflog", "expire", "--expire=now", "--all")
			b.Git("gc", "-q", "--prune=now")
			if err := os.RemoveAll(filepath.Join(b.Root, ".git", "refs", "memctl")); err != nil { // gc packs refs
				t.Fatal(err)
			}
			found := map[string]bool{}
			err := ledger.JournalHistory(t.Context(), b.Project(), func(v contents.Version) bool {
				of := v.Entry.Commit
				for _, d := range v.Deltas() {
					found[d.Key] = of != ""
				}
				return true
			})
			if err != nil || !found["c.d"] || !found["e.f"] {
				t.Errorf("%v: %v", err, found)
			}
			if out := b.Git("cat-file", "--batch-check", "--batch-all-objects"); strings.Contains(out, secret) {
				t.Error("the person's discarded secret is still there")
			}
			must(b, w) // goes on where the journal is packed
			if got := journal(b); len(got) != 4 || got[0] != "memory: add c.d" {
				t.Errorf("%q", got)
			}
			b.Git("fsck", "--strict")
		})
	}
}

func TestASecretThatAPersonCommittedIsNotInTheJournal(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one")+"\nMy token: "+aSecret+"\n")
	must(b, add("c.d", false))
	must(b, add("e.f", false))
	if got := journal(b); len(got) != 2 {
		t.Errorf("%q", got)
	}
	for _, file := range []string{":", "~1:", ":" + committer.BeforeFolder, "~1:" + committer.BeforeFolder} {
		text := b.Git("show", committer.JournalRef+file+memfile.FileName)
		if strings.Contains(text, aSecret) || !strings.Contains(text, "key: a.b") {
			t.Errorf("%s\n%s", file, text)
		}
	}
	if !strings.Contains(b.Git("show", committer.JournalRef+":"+memfile.FileName), "e.f") {
		t.Error("the write itself is not in it")
	}
}

func TestAJournalThatFailsFailsNoWrite(t *testing.T) {
	for name, damage := range map[string]func(*storetest.Box) string{
		"a file in the way": func(b *storetest.Box) string {
			b.Write(".git/refs/memctl", "x\n")
			return "is missing from the journal"
		},
		"a torn ref": func(b *storetest.Box) string {
			must(b, add("x.y", false))
			b.Write(".git/"+committer.JournalRef, "")
			return ""
		},
		"a ref to nothing": func(b *storetest.Box) string {
			must(b, add("x.y", false))
			b.Write(".git/"+committer.JournalRef, strings.Repeat("1", 40)+"\n")
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			note := damage(b)
			out := must(b, add("c.d", false))
			if out.Commit == "" || (note == "") != (len(out.Notes) == 0) || !strings.Contains(strings.Join(fault.Texts(out.Notes), "\n"), note) {
				t.Errorf("%+v", out)
			}
			if note == "" && journal(b)[0] != "memory: add c.d" {
				t.Errorf("%q", journal(b))
			}
		})
	}
}
