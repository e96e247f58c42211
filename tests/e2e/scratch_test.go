//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// programs is the folder of the memctl under test.
var programs string

// TestMain builds memctl once for all tests.
func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "memctl-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir, "./cmd/...")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	programs = dir
	return m.Run()
}

// scratch is a home folder and a repository with one item in its memory.
type scratch struct {
	t    *testing.T
	home string
	repo string
	env  []string
}

// fact is the item in the memory of the repository.
const fact = "project.e2e: the magpie sits on the fourth fence post"

func newScratch(t *testing.T) *scratch {
	t.Helper()
	// Codex refuses to work below the system's folder for temporary files.
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(mkdir(t, base, "memctl-e2e"), "run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &scratch{t: t, home: mkdir(t, dir, "home"), repo: mkdir(t, dir, "repo")}
	s.env = []string{
		"HOME=" + s.home, "PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"XDG_DATA_HOME=" + filepath.Join(s.home, "data"), "XDG_CONFIG_HOME=" + filepath.Join(s.home, "config"),
		"XDG_CACHE_HOME=" + mkdir(t, base, "memctl-e2e", "cache"), // OpenCode installs packages there
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1",
	}
	s.run("git", "config", "--global", "user.name", "Ada")
	s.run("git", "config", "--global", "user.email", "ada@example.com")
	s.run("git", "init", "-q", "-b", "main")
	s.run("memctl", "init", "-q")
	key, value, _ := strings.Cut(fact, ": ")
	s.run("memctl", "add", "-q", key, value)
	return s
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes a file below a folder, and makes the folders that it needs.
func (s *scratch) write(name, text string) {
	s.t.Helper()
	mkdir(s.t, filepath.Dir(name))
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// edit replaces a text in a file.
func (s *scratch) edit(name, old, text string) {
	s.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(data), old) {
		s.t.Fatalf("%s (%v) has no %s:\n%s", name, err, old, data)
	}
	s.write(name, strings.ReplaceAll(string(data), old, text))
}

// run runs a program in the repository and returns what it prints.
func (s *scratch) run(name string, args ...string) string {
	s.t.Helper()
	out, err := s.try(name, args...)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// try is run for a program that may fail.
func (s *scratch) try(name string, args ...string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if name == "memctl" {
		name = filepath.Join(programs, name)
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = s.repo, s.env
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	return string(out), err
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// install fetches packages from npm, once, and returns the program of the first.
func install(t *testing.T, program string, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := mkdir(t, cache, "memctl-e2e", strings.NewReplacer("/", "_", "@", "_").Replace(packages[0]))
	bin := filepath.Join(dir, "node_modules", ".bin", program)
	if runtime.GOOS == "windows" {
		bin += ".cmd"
	}
	if !isFile(bin) {
		c := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", dir}, packages...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("npm install %s: %v\n%s", packages, err, out)
		}
	}
	return bin
}
