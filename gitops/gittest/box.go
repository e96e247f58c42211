// Package gittest makes repositories for tests, and a person who works in them.
package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// RunTests gives git a home of its own, so that nobody's settings decide what the tests
// see, and runs them.
func RunTests(m *testing.M) (status int) {
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

// Box is a repository in a temporary folder, and a person working in it.
type Box struct {
	T    *testing.T
	Root string
}

// NewBox makes a repository that has two commits and the tracked files memories.md and other.txt.
func NewBox(t *testing.T, initArgs ...string) *Box {
	t.Helper()
	b := &Box{T: t, Root: RealTemp(t)}
	b.Git(append([]string{"init", "-q"}, initArgs...)...)
	b.Write("memories.md", "one\n")
	b.Write("other.txt", "first\nsecond\nthird\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "begin")
	b.Write("more.txt", "more\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "go on")
	return b
}

// RealTemp is a temporary folder by its real path, as git tells it.
func RealTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// At is the same person in another folder.
func (b *Box) At(dir string) *Box { return &Box{T: b.T, Root: dir} }

// Git runs git in the repository and returns what it prints. A failure ends the test.
func (b *Box) Git(args ...string) string {
	b.T.Helper()
	out, err := b.Try(args...)
	if err != nil {
		b.T.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// Try is Git where git may fail.
func (b *Box) Try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.Root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Write writes a file, with its folders.
func (b *Box) Write(name, text string) {
	b.T.Helper()
	file := filepath.Join(b.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		b.T.Fatal(err)
	}
}

// Remove deletes a file.
func (b *Box) Remove(name string) {
	b.T.Helper()
	if err := os.Remove(filepath.Join(b.Root, name)); err != nil {
		b.T.Fatal(err)
	}
}

// Hook writes an executable hook that notes its own name.
func (b *Box) Hook(dir, name, more string) {
	b.T.Helper()
	b.Write(dir+"/"+name, "#!/bin/sh\necho "+name+" >>'"+b.Root+"/.git/hooks-ran'\n"+more)
	if err := os.Chmod(filepath.Join(b.Root, dir, name), 0o755); err != nil {
		b.T.Fatal(err)
	}
}

// Rest is all that git knows about files other than those named: the index
// with its marks, and how index and worktree stand.
func (b *Box) Rest(without ...string) string {
	b.T.Helper()
	var kept []string
	for _, args := range [][]string{
		{"ls-files", "-s", "-v"}, {"ls-files", "-f"},
		{"--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all"},
	} {
		for _, line := range strings.Split(b.Git(args...), "\n") {
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

// Head is the id of HEAD's commit, "" where there is none.
func (b *Box) Head() string {
	out, err := b.Try("rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// Memory is the memory file of the repository.
const Memory = "memories.md"

// Symlink makes a symbolic link, or skips the test where the system cannot.
func Symlink(t *testing.T, old, new string) {
	t.Helper()
	if err := os.Symlink(old, new); err != nil {
		t.Skip(err)
	}
}

// Step commits memory as it shall be, a second later than the last commit.
func (b *Box) Step(subject, text string) {
	b.T.Helper()
	b.Write(Memory, text)
	b.Git("add", Memory)
	b.Git("commit", "-q", "-m", subject)
}
