package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// The shape of a repository that has been lived in: so many commits, of which
// every memoryEvery-th changes the memory file.
const (
	historyCommits = 2000
	memoryEvery    = 10
)

// Aims: add, as a whole process, against git's own commit of the same file, by
// the number of tracked files; and the log of a key against git's of the file.
const (
	logAim    = 10
	addMemory = 40_000_000 // bytes
)

// sizes are the repositories that add is measured in.
func sizes() []size { return []size{{20, 1.5}, {10_000, 0.6}, {50_000, 0.35}} }

type size struct {
	files int
	aim   float64
}

// grownCommands are what is measured in repositories with a past. In each of
// them git's commit and ours take turns on one file.
func (b *bench) grownCommands() []*measured {
	in := func(dir string, args ...string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd { return b.command(dir, args...) }
	}
	var list []*measured
	for _, s := range sizes() {
		dir := b.grownAt(s.files)
		edit := func(round int) error { return writeEdited(dir, round) }
		git := &measured{name: fmt.Sprintf("`git commit --only`, %d files tracked", s.files), before: edit,
			start: in(dir, "git", "commit", "--only", "-q", "-m", "x", "--", "memories.md")}
		add := &measured{name: fmt.Sprintf("`memctl add`, %d files tracked", s.files), aim: s.aim, most: addMemory, beside: git,
			start: func(round int) *exec.Cmd {
				return b.command(dir, b.memctl, "add", fmt.Sprintf("bench.round-%03d", round-memoryRound), "a value that was not there before")
			}}
		remember := &measured{name: fmt.Sprintf("`memctl remember`, %d files tracked", s.files), aim: s.aim, most: addMemory, beside: git,
			start: func(round int) *exec.Cmd {
				return b.command(dir, b.memctl, "remember", fmt.Sprintf("fact number %03d: the queue is drained by one worker a shard", round-memoryRound))
			}}
		list = append(list, git, add, remember)
	}
	git := &measured{name: "`git log -- memories.md`", start: in(b.past, "git", "log", "--", "memories.md")}
	log := &measured{name: "`memctl log KEY`", aim: logAim, beside: git, start: in(b.past, b.memctl, "log", "area002.topic-050")}
	return append(list, git, log)
}

func (b *bench) grownAt(files int) string {
	return filepath.Join(b.dir, fmt.Sprintf("files-%d", files))
}

// grow makes the repositories of grownCommands.
func (b *bench) grow() error {
	b.past = filepath.Join(b.dir, "past")
	if err := b.grown(b.past, sizes()[0].files); err != nil {
		return err
	}
	for _, s := range sizes() {
		if err := b.grown(b.grownAt(s.files), s.files); err != nil {
			return err
		}
	}
	return nil
}

// grown makes a repository with a past: files tracked files, historyCommits
// commits, and a memory file of smallItems items.
func (b *bench) grown(path string, files int) error {
	if err := b.repository(path, 1); err != nil {
		return err
	}
	in, out := io.Pipe()
	go func() { out.CloseWithError(stream(out, files)) }()
	load := b.command(path, "git", "fast-import", "--quiet", "--force")
	load.Stdin = in
	for _, c := range []*exec.Cmd{load, b.command(path, "git", "reset", "-q", "--hard")} {
		if said, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, said)
		}
	}
	return nil
}

// stream writes the history as git fast-import reads it.
func stream(w io.Writer, files int) error {
	var s bytes.Buffer
	flush := func() error {
		_, err := s.WriteTo(w)
		return err
	}
	data := func(text string) { fmt.Fprintf(&s, "data %d\n%s\n", len(text), text) }
	for n := range historyCommits {
		fmt.Fprintf(&s, "commit refs/heads/main\ncommitter Bench <bench@example.com> %d +0000\n", 1_700_000_000+600*n)
		data(fmt.Sprintf("change %d", n))
		if n == 0 {
			s.WriteString("deleteall\n")
			for i := range files - 1 {
				fmt.Fprintf(&s, "M 100644 inline %s\n", sourceFile(i))
				data(fmt.Sprintf("file %d", i))
			}
		} else {
			fmt.Fprintf(&s, "M 100644 inline %s\n", sourceFile(n%(files-1)))
			data(fmt.Sprintf("change %d", n))
		}
		if n%memoryEvery == 0 {
			s.WriteString("M 100644 inline memories.md\n")
			data(memoryVersion(n / memoryEvery))
		}
		if err := flush(); err != nil {
			return err
		}
	}
	s.WriteString("done\n")
	return flush()
}

func sourceFile(i int) string { return fmt.Sprintf("src/%02d/%02d/file-%05d.txt", i%50, i/50%20, i) }

// memoryVersion is the memory file of smallItems items after n changes, each of
// another item's value.
func memoryVersion(n int) string {
	text := memoryFile(smallItems)
	for i := max(0, n-smallItems) + 1; i <= n; i++ {
		item := i % smallItems
		text = strings.Replace(text, fmt.Sprintf("the %d. thing", item), fmt.Sprintf("in its %d. version the %d. thing", i, item), 1)
	}
	return text
}
