package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bench is what one run measures with, all of it in a folder of its own.
type bench struct {
	options
	home     string
	empty    string // an empty Go program
	launch   string // measures peak memory
	large    string // a repository with options.items items
	usual    string // one with an everyday memory, for hooks
	small    string // one with smallItems, for add
	plain    string // the same, for git commit
	dir      string // all of it
	skilled  string // one with an everyday memory and many skills
	past     string // a repository with a past, for log
	sessions int    // told so far: the number of the last
}

// prepare builds the programs and makes the repositories.
func prepare(dir string, o options) (*bench, error) {
	b := &bench{options: o, dir: dir, home: filepath.Join(dir, "home"), empty: filepath.Join(dir, "empty.exe"), launch: filepath.Join(dir, "launch.exe")}
	source := filepath.Join(dir, "empty.go")
	err := errors.Join(
		os.Mkdir(b.home, 0o700),
		os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644),
		goBuild(b.empty, source),
		goBuild(b.launch, "github.com/memctl/memctl/tests/bench/launch"),
	)
	if b.memctl == "" {
		b.memctl = filepath.Join(dir, "built.exe")
		err = errors.Join(err, goBuild(b.memctl, "github.com/memctl/memctl/cmd/memctl"))
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(install(&b.memctl, filepath.Join(dir, "memctl.exe")), install(&b.empty, filepath.Join(dir, "nothing.exe"))); err != nil {
		return nil, err
	}
	for _, r := range []struct {
		path  *string
		name  string
		items int
	}{{&b.large, "large", o.items}, {&b.small, "small", smallItems}, {&b.plain, "plain", smallItems}} {
		*r.path = filepath.Join(dir, r.name)
		if err := b.repository(*r.path, r.items); err != nil {
			return nil, err
		}
	}
	if err := b.useUsual(); err != nil {
		return nil, err
	}
	if o.has(rowsHistory) {
		if err := b.grow(); err != nil {
			return nil, err
		}
	}
	if o.has(rowsSkills) {
		if err := b.useSkills(); err != nil {
			return nil, err
		}
	}
	if o.has(rowsRecall) {
		if err := b.remember(); err != nil {
			return nil, err
		}
	}
	return b, b.check()
}

// install copies a program as an installer does. The linker writes through a memory map, which leaves the
// file in the system's cache as many small pages; until the next boot, each start of
// that file takes a quarter longer than a user's.
func install(program *string, to string) error {
	data, err := os.ReadFile(*program)
	if err != nil {
		return err
	}
	*program = to
	return os.WriteFile(to, data, 0o755)
}

func goBuild(out, what string) error {
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, what)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", what, err)
	}
	return nil
}

// repository makes one with a memory file of so many items.
func (b *bench) repository(path string, items int) error {
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main", path},
		{"git", "-C", path, "config", "user.name", "Bench"},
		{"git", "-C", path, "config", "user.email", "bench@example.com"},
		{"git", "-C", path, "config", "memctl.private", ""}, // else the private memory of another clone is offered, and that changes the file
		{b.memctl, "-C", path, "init", "--quiet"},
	} {
		if out, err := b.command("", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(path, "memories.md"), []byte(memoryFile(items)), 0o644); err != nil {
		return err
	}
	return b.command(path, "git", "commit", "-q", "-a", "-m", "fill").Run()
}

// memoryFile is a sound memory file, in which all that can be in the profile
// competes for it.
func memoryFile(items int) string {
	var s strings.Builder
	s.WriteString("```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-11-21\n  items:\n")
	for i := range items {
		fmt.Fprintf(&s, "    - key: area%03d.topic-%03d\n", i/20, i)
		fmt.Fprintf(&s, "      value: the %d. thing to know about this project, in about as many words as people use\n", i)
		fmt.Fprintf(&s, "      added: 2026-%02d-%02d\n      source: explicit user preference\n      confidence: high\n      tags: [bench]\n", 1+i%10, 1+i%28)
	}
	s.WriteString("deletions: []\n```\n")
	return s.String()
}

// command is one that sees nothing of the person's own settings, and acts for
// a person whoever runs the bench.
func (b *bench) command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+b.home, "XDG_DATA_HOME="+filepath.Join(b.home, "data"), "XDG_CONFIG_HOME="+filepath.Join(b.home, "config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(b.home, ".gitconfig"), "MEMCTL_NOW=2026-12-31T12:00:00Z", "MEMCTL_ORIGIN=explicit", "MEMCTL_STORE=")
	return c
}

// check fails where a figure would be of something else than it says.
func (b *bench) check() error {
	out, err := b.command(b.large, b.memctl, "profile").Output()
	if err == nil && !strings.Contains(string(out), profileFull) {
		err = fmt.Errorf("the profile is not full:\n%s", out)
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(snapshot(b.large)); err != nil {
		return fmt.Errorf("no snapshot was written: %w", err)
	}
	return b.checkHooks()
}

// editFile changes one value by hand.
func (b *bench) editFile(round int) error { return writeEdited(b.plain, round) }

func writeEdited(dir string, round int) error {
	text := strings.Replace(memoryFile(smallItems), "the 50. thing", fmt.Sprintf("the 50. thing, in its %d. version,", round), 1)
	return os.WriteFile(filepath.Join(dir, "memories.md"), []byte(text), 0o644)
}
