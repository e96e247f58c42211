package gitops

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// meanwhile makes git run the shell's lines while a new file is being made known to an
// index: its filter is asked then.
func (b *box) meanwhile(lines string) (told string) {
	b.t.Helper()
	if runtime.GOOS == "windows" {
		b.t.Skip("the filter is a shell script")
	}
	aside := b.t.TempDir()
	told = filepath.Join(aside, "told")
	script := filepath.Join(aside, "clean")
	text := "#!/bin/sh\ncat\nunset GIT_INDEX_FILE\n{\n" + lines + "\n} >>'" + told + "' 2>&1\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.write(".gitattributes", "new.md filter=aside\n")
	b.git("add", ".gitattributes")
	b.git("commit", "-q", "-m", "attributes")
	b.git("config", "filter.aside.clean", script)
	b.write("new.md", "new\n")
	return told
}

// TestNewFileIsNotStagedBefore: another git, which commits what is staged or refuses to
// begin beside it, finds nothing of ours in the index before HEAD has it.
func TestNewFileIsNotStagedBefore(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	told := b.meanwhile("git diff --cached --name-only HEAD")
	b.write("staged.txt", "x\n")
	b.git("add", "staged.txt")
	commit, err := b.find().Commit(background, CommitRequest{Paths: []string{"new.md"}, Subject: "s"})
	if err != nil || commit == "" {
		t.Fatalf("Commit = %q, %v", commit, err)
	}
	seen, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(seen), "staged.txt") || strings.Contains(string(seen), "new.md") {
		t.Errorf("staged meanwhile: %q", seen)
	}
	if got := b.git("status", "--porcelain"); got != "A  staged.txt" {
		t.Errorf("status %q", got)
	}
	left, _ := filepath.Glob(filepath.Join(b.root, ".git", ownIndexPrefix+"*"))
	locks, _ := filepath.Glob(filepath.Join(b.root, ".git", "*.lock"))
	if len(left)+len(locks) > 0 {
		t.Errorf("left over: %q %q", left, locks)
	}
}

// TestNewFileBesideWhatBegins: what a person's git does between the look at the state and
// the commit is seen: an operation stops it, and an index that git wrote is the one that
// the file goes into.
func TestNewFileBesideWhatBegins(t *testing.T) {
	t.Parallel()
	t.Run("a rebase", func(t *testing.T) {
		t.Parallel()
		b := newBox(t)
		b.meanwhile("mkdir -p .git/rebase-merge")
		head := b.head()
		commit, err := b.find().Commit(background, CommitRequest{Paths: []string{"new.md"}, Subject: "s"})
		wantBlocked(t, err, WhyRebase)
		if got := b.git("status", "--porcelain"); commit != "" || b.head() != head || got != "?? new.md" {
			t.Errorf("Commit = %q, status %q", commit, got)
		}
	})
	t.Run("something is staged", func(t *testing.T) {
		t.Parallel()
		b := newBox(t)
		b.meanwhile("test -e staged.txt || { echo x >staged.txt; git add staged.txt; }")
		commit, err := b.find().Commit(background, CommitRequest{Paths: []string{"new.md"}, Subject: "s"})
		if err != nil || commit == "" {
			t.Fatalf("Commit = %q, %v", commit, err)
		}
		if got := b.git("status", "--porcelain"); got != "A  staged.txt" {
			t.Errorf("status %q", got)
		}
	})
}
