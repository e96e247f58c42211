package gitops

import (
	"path/filepath"
	"strings"
	"testing"
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
