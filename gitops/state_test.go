package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStateAgreesWithGit: HEAD in every form.
func TestStateAgreesWithGit(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(b *box){
		"a branch":               func(*box) {},
		"a branch with a slash":  func(b *box) { b.git("checkout", "-q", "-b", "feature/a") },
		"packed refs":            func(b *box) { b.git("checkout", "-q", "-b", "feature/a"); b.git("pack-refs", "--all") },
		"packed, and changed":    func(b *box) { b.git("pack-refs", "--all"); b.git("commit", "-q", "--allow-empty", "-m", "x") },
		"packed beside a longer": func(b *box) { b.git("branch", "xmain"); b.git("pack-refs", "--all") },
		"detached":               func(b *box) { b.git("checkout", "-q", "--detach", "HEAD~1") },
		"unborn":                 func(b *box) { b.git("checkout", "-q", "--orphan", "new") },
		"a symbolic ref to one": func(b *box) {
			b.git("symbolic-ref", "refs/heads/l", "refs/heads/main")
			b.git("symbolic-ref", "HEAD", "refs/heads/l")
		},
		"HEAD as a symbolic link": headAsLink,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			setup(b)
			s, err := findRepo(b).State()
			if err != nil {
				t.Fatal(err)
			}
			branch, _ := b.try("symbolic-ref", "-q", "HEAD")
			branch = strings.TrimPrefix(strings.TrimSpace(branch), "refs/heads/")
			want := State{Head: b.head(), Branch: branch, Unborn: b.head() == ""}
			if s != want {
				t.Errorf("State = %+v, want %+v", s, want)
			}
		})
	}
}

func headAsLink(b *box) {
	head := filepath.Join(b.root, ".git", "HEAD")
	b.remove(".git/HEAD")
	symlink(b.t, "refs/heads/main", head)
}

// TestStateAsksGit where refs are not kept in files.
func TestStateAsksGit(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	s, err := findRepo(b).askHead()
	if err != nil || s != (State{Head: b.head(), Branch: "main"}) {
		t.Errorf("askHead = %+v, %v", s, err)
	}
	b.git("checkout", "-q", "--orphan", "new")
	if s, err = findRepo(b).askHead(); err != nil || s != (State{Branch: "new", Unborn: true}) {
		t.Errorf("unborn: askHead = %+v, %v", s, err)
	}
	b.git("checkout", "-q", "-f", "--detach", "main")
	if s, err = findRepo(b).askHead(); err != nil || s != (State{Head: b.head()}) {
		t.Errorf("detached: askHead = %+v, %v", s, err)
	}
}

// TestStateOfADamagedHead is an error, never an empty branch that the next
// commit would start anew.
func TestStateOfADamagedHead(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"empty": "", "no id": "hello\n", "outside refs": "ref: ../../x\n", "a loop": "ref: refs/heads/loop\n",
	} {
		b := newBox(t)
		b.write(".git/refs/heads/loop", "ref: refs/heads/loop\n")
		b.write(".git/HEAD", head)
		if s, err := findRepo(b).State(); err == nil {
			t.Errorf("%s: State = %+v", name, s)
		}
	}
	b := newBox(t)
	b.write(".git/refs/heads/main", "")
	if s, err := findRepo(b).State(); err == nil {
		t.Errorf("an empty ref: State = %+v", s)
	}
}

// TestStateBetweenTwoPicks: only the list of what is to do is there.
func TestStateBetweenTwoPicks(t *testing.T) {
	t.Parallel()
	for todo, want := range map[string]string{"pick 123 x\n": "cherry-pick", "revert 123 x\n": "revert"} {
		b := newBox(t)
		b.write(".git/sequencer/todo", todo)
		if s, err := findRepo(b).State(); err != nil || s.Operation != want {
			t.Errorf("%q: State = %+v, %v", todo, s, err)
		}
	}
}

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
