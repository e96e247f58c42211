package undo_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/undo"
)

// TestWhatAnOlderMemctlTookOutComesBack: `import --take-out` is gone, and an act of it can be undone, unless the file has
// changed since.
func TestWhatAnOlderMemctlTookOutComesBack(t *testing.T) {
	const file, left = "# Shop\n\n- Use tabs\n- Wrap errors\n", "# Shop\n\nThis file continues in `memories.md`: memctl gives its rules to agents when a session starts; without memctl, read it.\n"
	b := memorytest.Repository(t, memorytest.FileOf())
	b.Write("CLAUDE.md", file)
	b.Git("add", ".")
	b.Git("commit", "-qm", "instructions")
	read := func() string {
		data, err := os.ReadFile(filepath.Join(b.Root, "CLAUDE.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	ss := b.Open()
	st, err := ss.Get(t.Context(), store.Project)
	if err != nil {
		t.Fatal(err)
	}
	o := memorytest.From(memory.Explicit)
	if _, err := o.Update(t.Context(), st, txn.Write{Act: "take-out", Files: true, Subject: "take 2 lines out of CLAUDE.md", Change: func(d *txn.Draft) error {
		return d.WriteFile("CLAUDE.md", []byte(left))
	}}); err != nil {
		t.Fatal(err)
	}
	if now := read(); now != left {
		t.Fatalf("taken out: %q", now)
	}
	b.Write("CLAUDE.md", left+"\nReleases are on Tuesdays.\n")
	b.Git("commit", "-qam", "releases")
	answers, err := undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: o})
	if err != nil || len(answers) != 1 || len(answers[0].Findings) != 1 || !strings.HasSuffix(read(), "Releases are on Tuesdays.\n") {
		t.Fatalf("%+v, %v", answers, err)
	}
	b.Git("revert", "--no-edit", "HEAD")
	if _, err := undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: o}); err != nil {
		t.Fatal(err)
	}
	if now := read(); now != file {
		t.Errorf("undone: %q", now)
	}
}
