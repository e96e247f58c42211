package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	warmUp     = 3 // rounds that do not count
	slowRounds = 20
	// progressRounds is after how many rounds the bench says how far it is.
	progressRounds = 10
	memoryRuns     = 5 // runs that measure memory; none of them is timed
	memoryRound    = -1 - memoryRuns
	hookMemory     = 30_000_000 // bytes that a hook may take
	// toolTime is what an agent may wait for before each tool.
	toolTime = 10 * time.Millisecond
	// endTime is how long the end of a session may take with a long transcript.
	endTime = 200 * time.Millisecond
)

// measured is one command and what was measured of it.
type measured struct {
	name   string
	absent bool          // the program is not on this machine
	aim    float64       // most times what it stands beside; 0 for none
	beside *measured     // what the aim is held against; nil for the empty program
	under  *measured     // aim: less time than this; nil for none
	below  time.Duration // aim at the time itself; 0 for none
	than   *measured     // aim: at most more above its time; nil for none
	more   time.Duration
	slow   bool                      // it takes part in every slowRounds-th round only
	each   int                       // things done in one run, for the rate; 0 for none
	most   int64                     // aim at the peak memory in bytes; 0 for none
	before func(round int) error     // not counted; nil for nothing
	start  func(round int) *exec.Cmd // rounds below 0 are not counted
	times  []time.Duration           // sorted once all rounds are done
	cpu    []time.Duration           // of the same runs, in user and system mode; sorted too
	peak   int64                     // bytes; 0 where the system does not tell
}

// commands are what is measured, in the order of the table. The first is what
// the others are compared with.
func (b *bench) commands() []*measured {
	in := func(dir string, args ...string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd { return b.command(dir, args...) }
	}
	list := []*measured{{name: "an empty Go program", start: in(b.large, b.empty)}}
	if b.has(rowsStart) {
		list = append(list, b.startCommands()...)
	}
	if b.has(rowsHistory) {
		list = append(list, b.grownCommands()...)
	}
	if b.has(rowsRecall) {
		list = append(list, b.recallCommands()...)
	}
	if b.has(rowsSkills) {
		list = append(list, b.skillCommands()...)
	}
	if b.has(rowsOthers) {
		for _, o := range others {
			list = append(list, o.measured(b))
		}
	}
	return list
}

// startCommands are what is measured of a start, and of a small act.
func (b *bench) startCommands() []*measured {
	in := func(dir string, args ...string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd { return b.command(dir, args...) }
	}
	add := func(round int) *exec.Cmd {
		return b.command(b.small, b.memctl, "add", fmt.Sprintf("bench.round-%03d", round-memoryRound), "a value that was not there before")
	}
	return append(b.hookCommands(), []*measured{
		{name: "`git status`", start: in(b.large, "git", "status")},
		{name: "`memctl version`", start: in(b.large, b.memctl, "version")},
		{name: "`memctl profile`, with the snapshot", aim: 3, start: in(b.large, b.memctl, "profile")},
		{name: "`memctl profile`, without the snapshot", aim: 15, before: b.forgetSnapshot, start: in(b.large, b.memctl, "profile")},
		{name: "`memctl show`", start: in(b.large, b.memctl, "show")},
		{name: "`memctl validate`", start: in(b.large, b.memctl, "validate")},
		{name: fmt.Sprintf("`git commit --only`, %d items", smallItems), before: b.editFile, start: in(b.plain, "git", "commit", "--only", "-q", "-m", "x", "--", "memories.md")},
		{name: fmt.Sprintf("`memctl add`, %d items", smallItems), start: add},
	}...)
}

// measure lets the commands take turns, and then measures their memory.
func measure(list []*measured, rounds int, launch string) error {
	list = slices.DeleteFunc(slices.Clone(list), func(m *measured) bool { return m.absent })
	for round := -warmUp; round < rounds; round++ {
		if round > 0 && round%progressRounds == 0 {
			fmt.Fprintf(os.Stderr, "bench: %d of %d rounds\n", round, rounds)
		}
		for _, m := range list {
			if m.slow && round%slowRounds != 0 {
				continue
			}
			took, cpu, err := m.once(round)
			if err != nil {
				return err
			}
			if round >= 0 {
				m.times, m.cpu = append(m.times, took), append(m.cpu, cpu)
			}
		}
	}
	for i := range memoryRuns {
		for _, m := range list {
			if m.slow && i > 0 {
				continue
			}
			if err := m.memory(memoryRound+i, launch); err != nil {
				return err
			}
		}
	}
	for _, m := range list {
		slices.Sort(m.times)
		slices.Sort(m.cpu)
	}
	return nil
}

func (m *measured) ready(round int) error {
	if m.before == nil {
		return nil
	}
	return m.before(round)
}

// once runs the command and returns its time, and that of its CPU.
func (m *measured) once(round int) (took, cpu time.Duration, err error) {
	if err := m.ready(round); err != nil {
		return 0, 0, err
	}
	c := m.start(round)
	var said strings.Builder
	c.Stderr = &said
	start := time.Now()
	err = c.Run()
	took = time.Since(start)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", m.name, err, said.String())
	}
	return took, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// memory runs the command under the launcher and keeps the largest peak.
func (m *measured) memory(round int, launch string) error {
	if err := m.ready(round); err != nil {
		return err
	}
	c := m.start(round)
	c.Args = append([]string{launch, c.Path}, c.Args[1:]...)
	c.Path = launch
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return nil // a system that does not tell
	}
	if err != nil {
		return fmt.Errorf("%s, measuring memory: %w", m.name, err)
	}
	peak, err := strconv.ParseInt(string(out), 10, 64)
	m.peak = max(m.peak, peak)
	return err
}

// at is the time below which that share of the runs lies.
func (m *measured) at(share float64) time.Duration { return quantile(m.times, share) }

// quantile is the value of a sorted list below which that share of it lies; 0 of an empty one.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(int(share*float64(len(list))), len(list)-1)]
}
