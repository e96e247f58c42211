package gitops

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestStateAgreesWithGit: HEAD in every form.
func TestStateAgreesWithGit(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(b *gittest.Box){
		"a branch":               func(*gittest.Box) {},
		"a branch with a slash":  func(b *gittest.Box) { b.Git("checkout", "-q", "-b", "feature/a") },
		"packed refs":            func(b *gittest.Box) { b.Git("checkout", "-q", "-b", "feature/a"); b.Git("pack-refs", "--all") },
		"packed, and changed":    func(b *gittest.Box) { b.Git("pack-refs", "--all"); b.Git("commit", "-q", "--allow-empty", "-m", "x") },
		"packed beside a longer": func(b *gittest.Box) { b.Git("branch", "xmain"); b.Git("pack-refs", "--all") },
		"detached":               func(b *gittest.Box) { b.Git("checkout", "-q", "--detach", "HEAD~1") },
		"unborn":                 func(b *gittest.Box) { b.Git("checkout", "-q", "--orphan", "new") },
		"a symbolic ref to one": func(b *gittest.Box) {
			b.Git("symbolic-ref", "refs/heads/l", "refs/heads/main")
			b.Git("symbolic-ref", "HEAD", "refs/heads/l")
		},
		"HEAD as a symbolic link": headAsLink,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			setup(b)
			s, err := findRepo(b).State()
			if err != nil {
				t.Fatal(err)
			}
			branch, _ := b.Try("symbolic-ref", "-q", "HEAD")
			branch = strings.TrimPrefix(strings.TrimSpace(branch), "refs/heads/")
			want := State{Head: b.Head(), Branch: branch, Unborn: b.Head() == ""}
			if s != want {
				t.Errorf("State = %+v, want %+v", s, want)
			}
		})
	}
}

func headAsLink(b *gittest.Box) {
	head := filepath.Join(b.Root, ".git", "HEAD")
	b.Remove(".git/HEAD")
	gittest.Symlink(b.T, "refs/heads/main", head)
}

// TestStateAsksGit where refs are not kept in files.
func TestStateAsksGit(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	s, err := findRepo(b).askHead()
	if err != nil || s != (State{Head: b.Head(), Branch: "main"}) {
		t.Errorf("askHead = %+v, %v", s, err)
	}
	b.Git("checkout", "-q", "--orphan", "new")
	if s, err = findRepo(b).askHead(); err != nil || s != (State{Branch: "new", Unborn: true}) {
		t.Errorf("unborn: askHead = %+v, %v", s, err)
	}
	b.Git("checkout", "-q", "-f", "--detach", "main")
	if s, err = findRepo(b).askHead(); err != nil || s != (State{Head: b.Head()}) {
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
		b := gittest.NewBox(t)
		b.Write(".git/refs/heads/loop", "ref: refs/heads/loop\n")
		b.Write(".git/HEAD", head)
		if s, err := findRepo(b).State(); err == nil {
			t.Errorf("%s: State = %+v", name, s)
		}
	}
	b := gittest.NewBox(t)
	b.Write(".git/refs/heads/main", "")
	if s, err := findRepo(b).State(); err == nil {
		t.Errorf("an empty ref: State = %+v", s)
	}
}

// TestStateBetweenTwoPicks: only the list of what is to do is there.
func TestStateBetweenTwoPicks(t *testing.T) {
	t.Parallel()
	for todo, want := range map[string]string{"pick 123 x\n": "cherry-pick", "revert 123 x\n": "revert"} {
		b := gittest.NewBox(t)
		b.Write(".git/sequencer/todo", todo)
		if op := findRepo(b).Operation(); op != want {
			t.Errorf("%q: Operation = %q", todo, op)
		}
	}
}
