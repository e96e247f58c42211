package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
)

// fact puts a fact into the project's folder, as another branch or a person
// would, and returns its path.
func (b *box) fact(text string, change func(e *entry.Entry)) string {
	b.t.Helper()
	e := entry.Entry{ID: entry.ContentID(text), Role: entry.RoleFact, Conversation: entry.ProjectConversation, Created: "2026-02-21T09:03:00.000Z", Text: text}
	if change != nil {
		change(&e)
	}
	src, err := entry.New(e)
	if err != nil {
		b.t.Fatal(err)
	}
	b.put(e.Path(), string(src))
	return e.Path()
}

func (b *box) put(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Join(b.root, filepath.Dir(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.write(name, text)
}

func (b *box) entries() *Entries {
	b.t.Helper()
	all, err := b.project().Entries(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func TestEntriesAreReadAsTheyStand(t *testing.T) {
	b := gitBox(t, memfile.Template)
	if all := b.entries(); len(all.List) != 0 {
		t.Fatalf("nothing there, and read %+v", all)
	}
	sound := b.fact("Builds need Go 1.26.", nil)
	expired := b.fact("The sprint ends in February.", func(e *entry.Entry) { e.Expires = "2026-03-01" })
	gone := b.fact("Builds need Go 1.25.", func(e *entry.Entry) { e.ReplacedBy = "x" })
	secret := b.fact("The key is "+aSecret, nil)
	b.put("memories/entries/project/facts/broken.md", "no front matter\n")
	b.put("memories/readme.md", "---\n---\nno entry's place\n")
	if err := os.Symlink(filepath.Join(b.root, sound), filepath.Join(b.root, "memories/entries/project/facts/link.md")); err != nil {
		t.Fatal(err)
	}
	all := b.entries()
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
	b := gitBox(t, memfile.Template)
	b.fact("Builds need Go 1.26.", nil)
	if err := os.Rename(filepath.Join(b.root, "memories"), filepath.Join(b.root, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(b.root, "memories")); err != nil {
		t.Fatal(err)
	}
	if all := b.entries(); len(all.List) != 0 {
		t.Errorf("read %+v", all.List)
	}
}

// TestForgottenTextsAreWithheld plants a fact that was forgotten, as a merge
// from an older branch does.
func TestForgottenTextsAreWithheld(t *testing.T) {
	b := gitBox(t, memfile.Template)
	b.fact("Anna leads the team.", nil)
	b.fact("Tabs", nil)
	b.fact("Deploys go out on Tuesdays at noon.", nil)
	hash := memfile.Str("Deploys go out on Tuesdays at noon")
	text, word := memfile.Str("anna leads the  team"), memfile.Str("tabs")
	b.must(Write{Act: "forget", Wait: time.Second, Forgotten: map[string]memfile.Value{"entry.one": hash}, Change: func(doc *memfile.Document) error {
		doc.Deletions = []memfile.Tombstone{{Value: &text, Removed: "2026-03-01"}, {Value: &word, Removed: "2026-03-01"}, {Key: "entry.one", Removed: "2026-03-01"}}
		return nil
	}})
	for _, e := range b.entries().List {
		if !slices.Contains(e.Withheld, RuleForgotten) {
			t.Errorf("%q: withheld by %v", e.Text, e.Withheld)
		}
	}
	b.must(Write{Act: "restore", Wait: time.Second, Change: func(doc *memfile.Document) error {
		return b.project().LiftText(doc, "Deploys go out on Tuesdays at noon.")
	}})
	for _, e := range b.entries().List {
		if forgotten := len(e.Withheld) > 0; forgotten == strings.HasPrefix(e.Text, "Deploys") {
			t.Errorf("%q: withheld by %v", e.Text, e.Withheld)
		}
	}
}
