// Bench measures memctl as whole processes, beside an empty Go program and
// `git status`, and prints a table in Markdown. All commands take turns in one
// run, so that a busy machine is unfair to all of them alike.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	memctl := flag.String("memctl", "", "the binary to measure")
	items := flag.Int("items", 500, "items in the memory file")
	rounds := flag.Int("rounds", 100, "runs of each command")
	flag.Parse()
	if err := run(*memctl, *items, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measured is one command and its times.
type measured struct {
	name   string
	before func() error // before each run, not counted
	args   []string
	times  []time.Duration
}

func run(memctl string, items, rounds int) error {
	if memctl == "" {
		return errors.New("-memctl is missing: make bench gives it")
	}
	dir, err := os.MkdirTemp("", "memctl-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	repo := filepath.Join(dir, "repo")
	if err := scratch(dir, repo, memctl, items); err != nil {
		return err
	}
	empty, err := emptyProgram(dir)
	if err != nil {
		return err
	}
	snapshots, err := filepath.Glob(filepath.Join(repo, ".git", "memctl", "snapshot*"))
	if err != nil || len(snapshots) == 0 {
		return errors.Join(err, errors.New("no snapshot was written"))
	}
	forget := func() error {
		for _, s := range snapshots {
			if err := os.Remove(s); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	list := []*measured{
		{name: "an empty Go program", args: []string{empty}},
		{name: "`memctl version`", args: []string{memctl, "version"}},
		{name: "`memctl profile`, with the snapshot", args: []string{memctl, "profile"}},
		{name: "`git status`", args: []string{"git", "status"}},
		{name: "`memctl profile`, without the snapshot", args: []string{memctl, "profile"}, before: forget},
	}
	for range rounds {
		for _, m := range list {
			if err := m.once(dir, repo); err != nil {
				return err
			}
		}
	}
	report(list, items, rounds)
	return nil
}

// scratch makes a repository with a memory file of so many items.
func scratch(home, repo, memctl string, items int) error {
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main", repo},
		{"git", "-C", repo, "config", "user.name", "Bench"},
		{"git", "-C", repo, "config", "user.email", "bench@example.com"},
		{memctl, "-C", repo, "init", "--quiet"},
	} {
		if err := command(home, "", args...).Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	var b strings.Builder
	b.WriteString("```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-11-21\n  items:\n")
	for i := range items {
		fmt.Fprintf(&b, "    - key: area%02d.topic-%03d\n      value: the %d. thing to know about this project, in about as many words as people use\n", i%20, i, i)
		fmt.Fprintf(&b, "      added: 2026-%02d-%02d\n      source: explicit user preference\n      confidence: high\n      tags: [bench]\n", 1+i%12, 1+i%28)
	}
	b.WriteString("deletions: []\n```\n")
	if err := os.WriteFile(filepath.Join(repo, "memories.md"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	if err := command(home, repo, "git", "commit", "-qam", "fill").Run(); err != nil {
		return err
	}
	out, err := command(home, repo, memctl, "profile").Output()
	if err == nil && strings.Count(string(out), "\n- ") < 10 {
		err = fmt.Errorf("the profile is too short to measure:\n%s", out)
	}
	return err
}

// emptyProgram builds what the others are compared with.
func emptyProgram(dir string) (string, error) {
	src := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "empty")
	c := exec.Command("go", "build", "-trimpath", "-o", bin, src)
	c.Stderr = os.Stderr
	return bin, c.Run()
}

// command is one that sees nothing of the person's own settings.
func command(home, dir string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"), "GIT_CONFIG_NOSYSTEM=1", "MEMCTL_NOW=2026-12-31T12:00:00Z")
	return c
}

// once runs the command and keeps its time.
func (m *measured) once(home, repo string) error {
	if m.before != nil {
		if err := m.before(); err != nil {
			return err
		}
	}
	c := command(home, repo, m.args...)
	start := time.Now()
	err := c.Run()
	m.times = append(m.times, time.Since(start))
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// report prints medians, the 90th percentile and the ratio to the first.
func report(list []*measured, items, rounds int) {
	fmt.Printf("%d items, %d runs of each in turn, whole processes, milliseconds.\n\n", items, rounds)
	fmt.Println("| | median | 90% below | times the empty program |")
	fmt.Println("|---|--:|--:|--:|")
	var base float64
	for _, m := range list {
		slices.Sort(m.times)
		ms := func(at int) float64 { return float64(m.times[at].Microseconds()) / 1000 }
		median := ms(len(m.times) / 2)
		if base == 0 {
			base = median
		}
		fmt.Printf("| %s | %.2f | %.2f | %.1f |\n", m.name, median, ms(len(m.times)*9/10), median/base)
	}
}
