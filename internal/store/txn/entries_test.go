package txn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// fact puts a fact into the project's folder, as another branch or a person
// would, and returns its path.
func fact(b *storetest.Box, text string, change func(e *entry.Entry)) string {
	b.T.Helper()
	e := entry.Entry{ID: entry.ContentID(text), Role: entry.RoleFact, Conversation: entry.ProjectConversation, Created: "2026-02-21T09:03:00.000Z", Text: text}
	if change != nil {
		change(&e)
	}
	src, err := entry.Print(e)
	if err != nil {
		b.T.Fatal(err)
	}
	putFile(b, e.Path(), string(src))
	return e.Path()
}

func putFile(b *storetest.Box, name, text string) {
	b.T.Helper()
	if err := os.MkdirAll(filepath.Join(b.Root, filepath.Dir(name)), 0o755); err != nil {
		b.T.Fatal(err)
	}
	b.Write(name, text)
}

func entries(b *storetest.Box) *contents.Entries {
	b.T.Helper()
	all, err := contents.ReadAllEntries(context.Background(), b.Project())
	if err != nil {
		b.T.Fatal(err)
	}
	return all
}

func TestEntriesAreReadAsTheyStand(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	if all := entries(b); len(all.List) != 0 {
		t.Fatalf("nothing there, and read %+v", all)
	}
	sound := fact(b, "Builds need Go 1.26.", nil)
	expired := fact(b, "The sprint ends in February.", func(e *entry.Entry) { e.Expires = "2026-03-01" })
	gone := fact(b, "Builds need Go 1.25.", func(e *entry.Entry) { e.ReplacedBy = "x" })
	secret := fact(b, "The key is "+aSecret, nil)
	putFile(b, "memories/entries/project/facts/broken.md", "no front matter\n")
	putFile(b, "memories/readme.md", "---\n---\nno entry's place\n")
	if err := os.Symlink(filepath.Join(b.Root, sound), filepath.Join(b.Root, "memories/entries/project/facts/link.md")); err != nil {
		t.Fatal(err)
	}
	all := entries(b)
	var paths []string
	for _, e := range all.List {
		paths = append(paths, e.Path)
		if want := e.Path == secret; (len(e.Withheld) > 0) != want {
			t.Errorf("%s: withheld by %v", e.Path, e.Withheld)
		}
	}
	want := []string{sound, expired, gone, secret}
	slices.Sort(want)
	slices.Sort(paths)
	if !slices.Equal(paths, want) {
		t.Errorf("read %q, want %q", paths, want)
	}
	if len(all.Unread) != 1 || all.Unread[0].Problem.Rule != "no-front-matter" {
		t.Errorf("unread: %+v", all.Unread)
	}
	if live := all.Live("2026-03-01"); len(live) != 2 {
		t.Errorf("live: %+v", live)
	}
}

func TestAFolderThatIsALinkIsNotRead(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	fact(b, "Builds need Go 1.26.", nil)
	if err := os.Rename(filepath.Join(b.Root, "memories"), filepath.Join(b.Root, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(b.Root, "memories")); err != nil {
		t.Fatal(err)
	}
	if all := entries(b); len(all.List) != 0 {
		t.Errorf("read %+v", all.List)
	}
}

// TestForgottenTextsAreWithheld plants a fact that was forgotten, as a merge
// from an older branch does.
func TestForgottenTextsAreWithheld(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	fact(b, "Anna leads the team.", nil)
	fact(b, "Tabs", nil)
	fact(b, "Deploys go out on Tuesdays at noon.", nil)
	hash := memfile.Str("Deploys go out on Tuesdays at noon")
	text, word := memfile.Str("anna leads the  team"), memfile.Str("tabs")
	must(b, Write{Act: "forget", Wait: time.Second, Change: func(doc *Draft) error {
		doc.Deletions = []memfile.Tombstone{{Value: &text, Removed: "2026-03-01"}, {Value: &word, Removed: "2026-03-01"}, {Key: "entry.one", Removed: "2026-03-01"}}
		return contents.RememberForgotten(doc.Store, hash, "entry.one")
	}})
	for _, e := range entries(b).List {
		if !slices.Contains(e.Withheld, contents.RuleForgotten) {
			t.Errorf("%q: withheld by %v", e.Text, e.Withheld)
		}
	}
	must(b, Write{Act: "restore", Wait: time.Second, Change: func(doc *Draft) error {
		return contents.LiftText(b.Project(), doc.Document, "Deploys go out on Tuesdays at noon.")
	}})
	for _, e := range entries(b).List {
		if forgotten := len(e.Withheld) > 0; forgotten == strings.HasPrefix(e.Text, "Deploys") {
			t.Errorf("%q: withheld by %v", e.Text, e.Withheld)
		}
	}
}
