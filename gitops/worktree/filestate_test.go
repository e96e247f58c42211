package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memctl/memctl/tests/gittest"
)

// TestFileState: how one file stands.
func TestFileState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		path  string
		want  FileState
	}{
		"clean":                 {func(*gittest.Box) {}, gittest.Memory, FileState{Tracked: true}},
		"nowhere":               {func(*gittest.Box) {}, "nowhere.md", FileState{}},
		"nowhere, in a folder":  {func(*gittest.Box) {}, "no/where.md", FileState{}},
		"changed":               {func(b *gittest.Box) { b.Write(gittest.Memory, "x") }, gittest.Memory, FileState{Tracked: true, Dirty: true}},
		"another changed":       {func(b *gittest.Box) { b.Write("other.txt", "x") }, gittest.Memory, FileState{Tracked: true}},
		"staged":                {func(b *gittest.Box) { b.Write(gittest.Memory, "x"); b.Git("add", ".") }, gittest.Memory, FileState{Tracked: true, Dirty: true}},
		"deleted":               {func(b *gittest.Box) { b.Remove(gittest.Memory) }, gittest.Memory, FileState{Tracked: true, Dirty: true}},
		"untracked":             {func(b *gittest.Box) { b.Write("n.md", "x") }, "n.md", FileState{Dirty: true}},
		"untracked in a folder": {func(b *gittest.Box) { b.Write("a/b/n.md", "x") }, "a/b/n.md", FileState{Dirty: true}},
		"ignored":               {func(b *gittest.Box) { b.Write(".gitignore", "n.md"); b.Write("n.md", "x") }, "n.md", FileState{Ignored: true, Dirty: true}},
		"in an ignored folder":  {func(b *gittest.Box) { b.Write(".gitignore", "a/"); b.Write("a/n.md", "x") }, "a/n.md", FileState{Ignored: true, Dirty: true}},
		"tracked and ignored":   {func(b *gittest.Box) { b.Write(".gitignore", "*.md") }, gittest.Memory, FileState{Tracked: true}},
		"added":                 {func(b *gittest.Box) { b.Write("n.md", "x"); b.Git("add", ".") }, "n.md", FileState{Tracked: true, Dirty: true}},
		"intent to add":         {func(b *gittest.Box) { b.Write("n.md", "x"); b.Git("add", "-N", ".") }, "n.md", FileState{Tracked: true, Dirty: true}},
		"glob characters":       {func(b *gittest.Box) { b.Write("[x].md", "x"); b.Write("x.md", "x"); b.Git("add", "x.md") }, "[x].md", FileState{Dirty: true}},
		"skipped and not there": {func(b *gittest.Box) {
			b.Git("update-index", "--skip-worktree", gittest.Memory)
			b.Remove(gittest.Memory)
		}, gittest.Memory, FileState{Tracked: true}},
		"status settings": {func(b *gittest.Box) {
			b.Write("n.md", "x")
			b.Git("config", "status.showUntrackedFiles", "no")
			b.Git("config", "status.branch", "true")
			b.Git("config", "status.relativePaths", "false")
		}, "n.md", FileState{Dirty: true}},
		"in conflict": {conflicted, gittest.Memory, FileState{Tracked: true, Dirty: true, Conflict: true}},
		"unborn":      {func(b *gittest.Box) { b.Git("checkout", "-q", "--orphan", "new") }, gittest.Memory, FileState{Tracked: true, Dirty: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			c.setup(b)
			// As if other.txt had been written anew: git would like to note its times.
			if err := os.Chtimes(filepath.Join(b.Root, "other.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(filepath.Join(b.Root, gittest.Memory), time.Time{}, time.Unix(1e9, 0)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			index, err := os.ReadFile(filepath.Join(b.Root, ".git", "index"))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := StateOf(background, findRepo(b), c.path); err != nil || got != c.want {
				t.Errorf("FileState = %+v, %v; want %+v", got, err, c.want)
			}
			if now, _ := os.ReadFile(filepath.Join(b.Root, ".git", "index")); string(now) != string(index) {
				t.Error("looking wrote the index")
			}
		})
	}
}
