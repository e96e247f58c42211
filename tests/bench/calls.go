package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// calls are the counts of one command, as strace sees them.
type calls struct{ all, opens, stats, processes int }

// schedulerCalls are those of Go's scheduler and garbage collector, whose number changes from run to run.
var schedulerCalls = []string{"futex", "nanosleep", "sched_yield", "tgkill", "getpid", "rt_sigreturn", "epoll_pwait", "madvise"}

// callsTable counts the system calls and page faults of the commands of every day, each with warm caches.
func (b *bench) callsTable() (string, error) {
	text := "\nSystem calls, without those of Go's scheduler:\n\n| | calls | opened files | stats | processes | page faults |\n|---|--:|--:|--:|--:|--:|\n"
	if _, err := exec.LookPath("strace"); err != nil {
		return text + "| not counted: strace is not on this machine | | | | | |\n", nil
	}
	round := 0
	for _, c := range []struct {
		name  string
		start func() *exec.Cmd
	}{
		{"an empty Go program", func() *exec.Cmd { return b.command(b.small, b.empty) }},
		{"`memctl hook`, a session's start", func() *exec.Cmd { return b.startHook(b.usual) }},
		{"`memctl hook`, a prompt", func() *exec.Cmd { return b.promptHook(b.usual) }},
		{"`memctl hook`, before a tool", func() *exec.Cmd { return b.toolHook(b.usual) }},
		{fmt.Sprintf("`memctl recall`, %d facts", everyday), func() *exec.Cmd { return b.command(b.usual, b.memctl, "recall", word(1)+" "+word(100)) }},
		{fmt.Sprintf("`memctl add`, %d items", smallItems), func() *exec.Cmd {
			round++
			return b.command(b.small, b.memctl, "add", fmt.Sprintf("calls.round-%d", round), "a value that was not there before")
		}},
		{"`git commit --only`", func() *exec.Cmd {
			round++
			c := b.command(b.plain, "git", "commit", "--only", "-q", "-m", "x", "--", "memories.md")
			if c.Err == nil {
				c.Err = b.editFile(round)
			}
			return c
		}},
	} {
		counts, faults, err := b.count(c.start)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.name, err)
		}
		text += fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n", c.name, counts.all, counts.opens, counts.stats, counts.processes, faults)
	}
	return text, nil
}

// count runs the command once to warm it up, once for its page faults and once under strace.
func (b *bench) count(start func() *exec.Cmd) (counts calls, faults int64, err error) {
	if err := start().Run(); err != nil {
		return counts, 0, err
	}
	plain := start()
	if err := plain.Run(); err != nil {
		return counts, 0, err
	}
	faults = reflect.Indirect(reflect.ValueOf(plain.ProcessState.SysUsage())).FieldByName("Minflt").Int()
	traced, trace := start(), filepath.Join(b.dir, "trace")
	if traced.Err != nil {
		return counts, 0, traced.Err
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		return counts, 0, err
	}
	traced.Args = append([]string{"strace", "-f", "-qq", "-e", "signal=none", "-o", trace, traced.Path}, traced.Args[1:]...)
	traced.Path = strace
	if err := traced.Run(); err != nil {
		return counts, 0, err
	}
	data, err := os.ReadFile(trace)
	return countCalls(string(data)), faults, err
}

// countCalls reads what strace wrote: a line for each call, after the id of the process.
func countCalls(trace string) (c calls) {
	for line := range strings.Lines(trace) {
		_, call, _ := strings.Cut(line, " ")
		name, _, ok := strings.Cut(strings.TrimSpace(call), "(")
		if !ok || strings.HasPrefix(name, "<") || slices.Contains(schedulerCalls, name) {
			continue // the rest of a call that another thread interrupted
		}
		c.all++
		switch {
		case strings.HasPrefix(name, "open"):
			c.opens++
		case strings.Contains(name, "stat"), strings.HasPrefix(name, "faccess"):
			c.stats++
		case name == "execve":
			c.processes++
		}
	}
	return c
}
