// Package gittest makes repositories for tests, and a person who works in them.
package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// RunTests gives git and memctl a home of their own, so that nobody's settings decide what
// the tests see, and runs them.
func RunTests(m *testing.M) (status int) {
	UseMemory()
	home, err := os.MkdirTemp("", "memctl-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	testHome = home
	Unset("GIT_", "MEMCTL_")
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"} { // the last three are Windows'
		os.Setenv(name, home)
	}
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	os.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if err := Home(home, "Ada"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// UseMemory makes new temporary folders in memory where the system has a folder for that, unless TMPDIR is set: on a
// disk, tests wait for fsync most of the time.
func UseMemory() {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
}

// Unset removes the variables with these prefixes from the environment, except those that choose how much is tested.
func Unset(prefixes ...string) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "MEMCTL_TORTURE", "MEMCTL_SEQUENCES", "MEMCTL_SEED", "MEMCTL_MERGE_TRIPLES":
			continue
		}
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			os.Unsetenv(name)
		}
	}
}

// Home writes the file .gitconfig of a person with this name to the folder. New repositories are nearly empty, because
// the copies of git's sample hooks are most of the work of `git init`, and git starts no maintenance.
func Home(dir, person string) error {
	template := filepath.Join(dir, ".template")
	for _, folder := range []string{"hooks", "info"} {
		if err := os.MkdirAll(filepath.Join(template, folder), 0o755); err != nil {
			return err
		}
	}
	settings := "[user]\n\tname = " + person + "\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n\ttemplateDir = " + filepath.ToSlash(template) +
		"\n[core]\n\tautocrlf = false\n[protocol \"file\"]\n\tallow = always\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	return os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(settings), 0o644)
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
	b.Prepare(strings.Join(initArgs, " "), func(b *Box) {
		b.Git(append([]string{"init", "-q"}, initArgs...)...)
		b.Write("memories.md", "one\n")
		b.Write("other.txt", "first\nsecond\nthird\n")
		b.Git("add", ".")
		b.Git("commit", "-q", "-m", "begin")
		b.Write("more.txt", "more\n")
		b.Git("add", ".")
		b.Git("commit", "-q", "-m", "go on")
	})
	return b
}

var (
	testHome   string                // the home that RunTests made
	prepared   = map[string]string{} // folders that Prepare copies, by their keys
	preparedMu sync.Mutex
)

// Prepare fills the box's empty folder with a repository. It calls fill when it sees the key for the first time, and
// copies the first repository later. A repository with its git folder elsewhere cannot be copied, so it is always made. The
// tests must have been started by RunTests.
func (b *Box) Prepare(key string, fill func(*Box)) {
	b.T.Helper()
	preparedMu.Lock()
	defer preparedMu.Unlock()
	from, ok := prepared[key]
	if ok {
		if err := os.CopyFS(b.Root, os.DirFS(from)); err != nil {
			b.T.Fatal(err)
		}
		b.Git("update-index", "-q", "--refresh") // the files have other times now
		return
	}
	fill(b)
	if strings.Contains(key, "--separate-git-dir") || strings.Contains(key, "--bare") {
		return
	}
	from, err := os.MkdirTemp(testHome, "prepared-")
	if err == nil {
		err = os.CopyFS(from, os.DirFS(b.Root))
	}
	if err != nil {
		b.T.Fatal(err)
	}
	prepared[key] = from
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
