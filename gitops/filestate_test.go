package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestFileState: how one file stands.
func TestFileState(t *testing.T) {
	t.Parallel()
	const clean, gone = "100644 100644 100644", "100644 100644 000000"
	for name, c := range map[string]struct {
		setup func(b *box)
		path  string
		want  FileState
	}{
		"clean":                 {func(*box) {}, memory, FileState{Tracked: true}},
		"nowhere":               {func(*box) {}, "nowhere.md", FileState{}},
		"nowhere, in a folder":  {func(*box) {}, "no/where.md", FileState{}},
		"changed":               {func(b *box) { b.write(memory, "x") }, memory, FileState{Tracked: true, Dirty: true, Modes: clean}},
		"another changed":       {func(b *box) { b.write("other.txt", "x") }, memory, FileState{Tracked: true}},
		"staged":                {func(b *box) { b.write(memory, "x"); b.git("add", ".") }, memory, FileState{Tracked: true, Dirty: true, Modes: clean}},
		"deleted":               {func(b *box) { b.remove(memory) }, memory, FileState{Tracked: true, Dirty: true, Modes: gone}},
		"untracked":             {func(b *box) { b.write("n.md", "x") }, "n.md", FileState{Dirty: true}},
		"untracked in a folder": {func(b *box) { b.write("a/b/n.md", "x") }, "a/b/n.md", FileState{Dirty: true}},
		"ignored":               {func(b *box) { b.write(".gitignore", "n.md"); b.write("n.md", "x") }, "n.md", FileState{Ignored: true, Dirty: true}},
		"in an ignored folder":  {func(b *box) { b.write(".gitignore", "a/"); b.write("a/n.md", "x") }, "a/n.md", FileState{Ignored: true, Dirty: true}},
		"tracked and ignored":   {func(b *box) { b.write(".gitignore", "*.md") }, memory, FileState{Tracked: true}},
		"added":                 {func(b *box) { b.write("n.md", "x"); b.git("add", ".") }, "n.md", FileState{Tracked: true, Dirty: true, Modes: "000000 100644 100644"}},
		"intent to add":         {func(b *box) { b.write("n.md", "x"); b.git("add", "-N", ".") }, "n.md", FileState{Tracked: true, Dirty: true, Modes: "000000 000000 100644"}},
		"glob characters":       {func(b *box) { b.write("[x].md", "x"); b.write("x.md", "x"); b.git("add", "x.md") }, "[x].md", FileState{Dirty: true}},
		"skipped and not there": {func(b *box) { b.git("update-index", "--skip-worktree", memory); b.remove(memory) }, memory, FileState{Tracked: true}},
		"status settings": {func(b *box) {
			b.write("n.md", "x")
			b.git("config", "status.showUntrackedFiles", "no")
			b.git("config", "status.branch", "true")
			b.git("config", "status.relativePaths", "false")
		}, "n.md", FileState{Dirty: true}},
		"in conflict": {conflicted, memory, FileState{Tracked: true, Dirty: true, Conflict: true}},
		"unborn":      {func(b *box) { b.git("checkout", "-q", "--orphan", "new") }, memory, FileState{Tracked: true, Dirty: true, Modes: "000000 100644 100644"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			c.setup(b)
			// As if other.txt had been written anew: git would like to note its times.
			if err := os.Chtimes(filepath.Join(b.root, "other.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(filepath.Join(b.root, memory), time.Time{}, time.Unix(1e9, 0)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			index, err := os.ReadFile(filepath.Join(b.root, ".git", "index"))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := findRepo(b).FileState(background, c.path); err != nil || got != c.want {
				t.Errorf("FileState = %+v, %v; want %+v", got, err, c.want)
			}
			if now, _ := os.ReadFile(filepath.Join(b.root, ".git", "index")); string(now) != string(index) {
				t.Error("looking wrote the index")
			}
		})
	}
}
