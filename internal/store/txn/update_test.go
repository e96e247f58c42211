package txn

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// aSecret has the form of a credential, and is none.
const aSecret = "AKIA" + "Q3EGRHVJQ5W7T2XZ"

const (
	brokenBlock = "```yaml\nsaved_memory:\n  version: 1\n  items:\n    - key: a.b\n      value: `tick` and more\n      added: 2026-01-01\n      source: test\n      confidence: high\n```\n"
	foreignPage = "# Memories\n\nOur trip to the sea.\n"
)

// writingActs are all the ways in which the store writes.
func writingActs() map[string]func(*storetest.Box) error {
	update := func(w Write) func(*storetest.Box) error {
		return func(b *storetest.Box) error { _, err := Update(b.T.Context(), b.Project(), w); return err }
	}
	created := add("x.y", false)
	created.Create = true
	nothing := Write{Act: "init", Create: true, Wait: time.Second, Change: func(*Draft) error { return nil }}
	return map[string]func(*storetest.Box) error{
		"an explicit write":         update(add("x.y", false)),
		"an automatic write":        update(add("x.y", true)),
		"a write that makes a file": update(created),
		"init":                      update(nothing),
	}
}

func TestFilesThatNoWriteTouches(t *testing.T) {
	for name, tt := range map[string]struct {
		memory string
		code   string
	}{
		"somebody's page":               {foreignPage, fault.NotAMemoryFile},
		"a page with yaml of its own":   {"```yaml\nitems: []\n```\n", fault.NotAMemoryFile},
		"a later version of the format": {strings.Replace(memfile.Template, "version: 1", "version: 2", 1), fault.NewerVersion},
	} {
		for act, do := range writingActs() {
			t.Run(name+", "+act, func(t *testing.T) {
				b := storetest.Git(t, tt.memory)
				err := do(b)
				if !fault.Is(err, tt.code) {
					t.Fatalf("got %v", err)
				}
				if b.Read(memfile.FileName) != tt.memory || len(b.Subjects()) != 1 || b.Git("status", "--porcelain") != "" {
					t.Errorf("something was written: %q\n%s", b.Subjects(), b.Read(memfile.FileName))
				}
			})
		}
	}
}

func TestAPersonsEditIsCommittedFirst(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Write(memfile.FileName, storetest.WithItem("a.b", "edited by hand"))
	b.Write("other.txt", "two\n")
	b.Git("add", "other.txt")
	must(b, add("c.d", false))
	if got, want := b.Subjects(), []string{"memory: add c.d", "memory: edit by hand", "begin"}; !slices.Equal(got, want) {
		t.Errorf("commits %q, want %q", got, want)
	}
	hand := b.Git("show", "--format=%b", "--name-only", "HEAD~1")
	if !strings.Contains(hand, "Memory-Act: edit") || strings.Contains(hand, "other.txt") {
		t.Errorf("the edit's commit: %s", hand)
	}
	if edit := b.Git("show", "HEAD~1:"+memfile.FileName); !strings.Contains(edit, "edited by hand") || strings.Contains(edit, "c.d") {
		t.Errorf("the edit's commit holds\n%s", edit)
	}
	if status := b.Git("status", "--porcelain"); status != "M  other.txt" {
		t.Errorf("the person's work is now %q", status)
	}
}

func TestAnEditThatIsNotCommittedByADryRunOrAReader(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Write(memfile.FileName, storetest.WithItem("a.b", "two"))
	w := add("c.d", false)
	out, err := Update(t.Context(), b.Project().Trial(), w)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.Diff, "+    - key: c.d") || out.Why != WhyDryRun {
		t.Errorf("%q: %s", out.Why, out.Diff)
	}
	if _, err := contents.Read(t.Context(), b.Project()); err != nil {
		t.Fatal(err)
	}
	if len(b.Subjects()) != 1 || b.Read(memfile.FileName) != storetest.WithItem("a.b", "two") {
		t.Errorf("commits %q", b.Subjects())
	}
}

func TestASecretInAPersonsEditStopsTheCommit(t *testing.T) {
	for name, text := range map[string]string{
		"in an item":            storetest.WithItem("a.b", aSecret),
		"in a comment":          strings.Replace(memfile.Template, "deletions: []", "deletions: [] # "+aSecret, 1),
		"in prose by the block": memfile.Template + "\nThe key is " + aSecret + ".\n",
	} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, memfile.Template)
			b.Write(memfile.FileName, text)
			_, err := Update(t.Context(), b.Project(), add("c.d", false))
			if !fault.Is(err, fault.Secret) || !strings.Contains(err.Error(), ": line ") {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), aSecret) {
				t.Errorf("the message shows it: %v", err)
			}
			if _, err = Update(t.Context(), b.Project(), add("c.d", true)); !fault.Is(err, fault.Deferred) {
				t.Errorf("an automatic write does not wait: %v", err)
			}
			if len(b.Subjects()) != 1 || b.Read(memfile.FileName) != text {
				t.Errorf("something was written: %q", b.Subjects())
			}
			if found := b.Git("rev-list", "--objects", "--all"); strings.Contains(found, aSecret) {
				t.Error("git has it")
			}
		})
	}
}

func TestDamageInAnEditIsThePersons(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	b.Write(memfile.FileName, brokenBlock)
	_, err := Update(t.Context(), b.Project(), add("c.d", false))
	if !fault.Is(err, fault.Damaged) || !strings.Contains(err.Error(), ": line 6: ") {
		t.Fatalf("got %v, want the damage in line 6", err)
	}
	if _, err := Update(t.Context(), b.Project(), add("c.d", true)); !fault.Is(err, fault.Deferred) {
		t.Errorf("an automatic write does not wait: %v", err)
	}
	if b.Read(memfile.FileName) != brokenBlock || len(b.Subjects()) != 1 {
		t.Errorf("it was touched: %q", b.Subjects())
	}
	m, err := contents.Read(t.Context(), b.Project())
	if err != nil || !m.Salvaged || m.Find("a.b") == nil {
		t.Errorf("%v: what can be read is %+v", err, m)
	}
}

func TestDamageInHeadIsRecoveredByTheAct(t *testing.T) {
	for name, edit := range map[string]string{"and the file is as committed": "", "and the edit is damaged too": brokenBlock + "\nA note by hand.\n"} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Git(t, brokenBlock)
			want := []string{"memory: add c.d", "memory: recover", "begin"}
			if edit != "" {
				b.Write(memfile.FileName, edit)
				want = slices.Insert(want, 2, "memory: edit by hand")
			}
			must(b, add("c.d", false))
			if got := b.Subjects(); !slices.Equal(got, want) {
				t.Errorf("commits %q, want %q", got, want)
			}
			text := b.Read(memfile.FileName)
			f, problems := memfile.Parse(memfile.FileName, []byte(text))
			if f == nil {
				t.Fatalf("not sound: %v", problems)
			}
			if doc := f.Document(); len(doc.Items) != 2 || !strings.Contains(text, memfile.NotesHeading) {
				t.Errorf("%d items\n%s", len(doc.Items), text)
			}
			if n := len(b.Said); n == 0 || !strings.Contains(b.Said[n-1], "recovered") {
				t.Errorf("it said %q", b.Said)
			}
			if edit != "" && b.Git("show", "HEAD~2:"+memfile.FileName)+"\n" != edit {
				t.Error("the edit was not committed as it was")
			}
		})
	}
}

func TestAMendedFileIsNotRecovered(t *testing.T) {
	b := storetest.Git(t, brokenBlock)
	b.Write(memfile.FileName, storetest.WithItem("a.b", "mended"))
	must(b, add("c.d", false))
	if got := b.Subjects(); got[1] != "memory: edit by hand" || strings.Contains(b.Read(memfile.FileName), memfile.NotesHeading) {
		t.Errorf("commits %q", got)
	}
}

func TestRecoveryKeepsASecretOutOfGit(t *testing.T) {
	b := storetest.Git(t, brokenBlock)
	b.Write(memfile.FileName, brokenBlock+"\nThe key is "+aSecret+".\n")
	_, out, err := Recover(t.Context(), b.Project(), Write{Wait: time.Second})
	if err != nil || out.Commit == "" {
		t.Fatalf("%v, %+v", err, out)
	}
	if strings.Contains(b.Read(memfile.FileName), aSecret) {
		t.Error("the notes hold the secret")
	}
	for _, id := range strings.Fields(b.Git("rev-list", "--all")) {
		if strings.Contains(b.Git("show", id), aSecret) {
			t.Errorf("commit %s holds the secret", id)
		}
	}
	kept, err := filepath.Glob(filepath.Join(b.Root, ".git", "memctl", "original-*.md"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, the original is in %q", err, kept)
	}
	if original, err := os.ReadFile(kept[0]); err != nil || !strings.Contains(string(original), aSecret) {
		t.Errorf("%v: the original is not whole", err)
	}
	if !slices.ContainsFunc(out.Notes, func(n fault.Note) bool { return strings.Contains(n.Text, kept[0]) }) {
		t.Errorf("the notes do not say where it is: %q", out.Notes)
	}
}

func TestAnActThatChangesNothingWritesNothing(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	out := must(b, Write{Act: "confirm", Wait: time.Second, Change: func(*Draft) error { return nil }})
	if out.Changed || out.Why != WhyUnchanged || out.Commit != "" || len(b.Subjects()) != 1 {
		t.Errorf("%+v, commits %q", out, b.Subjects())
	}
	failed := errors.New("refused")
	_, err := Update(t.Context(), b.Project(), Write{Act: "add", Wait: time.Second, Change: func(doc *Draft) error {
		doc.Items = nil
		return failed
	}})
	if !errors.Is(err, failed) || b.Read(memfile.FileName) != storetest.WithItem("a.b", "one") {
		t.Errorf("%v\n%s", err, b.Read(memfile.FileName))
	}
	if acts, err := ledger.Acts(t.Context(), b.Project().Stores, ledger.All); err != nil || len(acts) != 0 {
		t.Errorf("%v, acts %+v", err, acts)
	}
}

func TestAMissingFileIsMadeByInitAlone(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	b.Git("rm", "-q", memfile.FileName)
	b.Git("commit", "-q", "-m", "gone")
	_, err := Update(t.Context(), b.Project(), add("a.b", false))
	if !fault.Is(err, fault.NoMemoryFile) {
		t.Fatalf("got %v", err)
	}
	must(b, Write{Act: "init", Create: true, Wait: time.Second, Change: func(*Draft) error { return nil }})
	if b.Read(memfile.FileName) != strings.Replace(memfile.Template, memfile.NeverUpdated, "2026-03-01", 1) || b.Subjects()[0] != "memory: init" {
		t.Errorf("%q\n%s", b.Subjects(), b.Read(memfile.FileName))
	}
}
