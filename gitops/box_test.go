package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runTests gives git a home of its own, so that nobody's settings decide what the tests
// see, and runs them.
func runTests(m *testing.M) (status int) {
	home, err := os.MkdirTemp("", "git-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	identity := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	return m.Run()
}

// box is a repository in a temporary folder, and a person working in it.
type box struct {
	t    *testing.T
	root string
}

// newBox has two commits and the tracked files memories.md and other.txt.
func newBox(t *testing.T, initArgs ...string) *box {
	t.Helper()
	b := &box{t: t, root: realTemp(t)}
	b.git(append([]string{"init", "-q"}, initArgs...)...)
	b.write("memories.md", "one\n")
	b.write("other.txt", "first\nsecond\nthird\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "begin")
	b.write("more.txt", "more\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "go on")
	return b
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// at is the same person in another folder.
func (b *box) at(dir string) *box { return &box{t: b.t, root: dir} }

func (b *box) git(args ...string) string {
	b.t.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (b *box) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *box) write(name, text string) {
	b.t.Helper()
	file := filepath.Join(b.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) remove(name string) {
	b.t.Helper()
	if err := os.Remove(filepath.Join(b.root, name)); err != nil {
		b.t.Fatal(err)
	}
}

// hook writes an executable hook that notes its own name.
func (b *box) hook(dir, name, more string) {
	b.t.Helper()
	b.write(dir+"/"+name, "#!/bin/sh\necho "+name+" >>'"+b.root+"/.git/hooks-ran'\n"+more)
	if err := os.Chmod(filepath.Join(b.root, dir, name), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// rest is all that git knows about files other than those named: the index
// with its marks, and how index and worktree stand.
func (b *box) rest(without ...string) string {
	b.t.Helper()
	var kept []string
	for _, args := range [][]string{
		{"ls-files", "-s", "-v"}, {"ls-files", "-f"},
		{"--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all"},
	} {
		for _, line := range strings.Split(b.git(args...), "\n") {
			ours := line == ""
			for _, w := range without {
				ours = ours || strings.HasSuffix(line, w)
			}
			if !ours {
				kept = append(kept, line)
			}
		}
	}
	return strings.Join(kept, "\n")
}

func (b *box) head() string {
	out, err := b.try("rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

const memory = "memories.md"

func symlink(t *testing.T, old, new string) {
	t.Helper()
	if err := os.Symlink(old, new); err != nil {
		t.Skip(err)
	}
}

// step commits memory as it shall be, a second later than the last commit.
func (b *box) step(subject, text string) {
	b.t.Helper()
	b.write(memory, text)
	b.git("add", memory)
	b.git("commit", "-q", "-m", subject)
}
