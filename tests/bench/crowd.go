package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Several writers at once: so many processes that write so many items each, and a person's
// own git in a loop beside a writer.
const (
	crowdWriters = 24
	crowdEach    = 20
	besideWrites = 60
	// besideAim is the most that may fail of the person's tries, in percent.
	besideAim = 20
)

// crowdTable measures what no single command shows: how long writers wait for each other,
// how often a person's git fails beside them, and that nothing is lost. Both run once.
func (b *bench) crowdTable() (string, error) {
	crowd, err := b.crowd()
	if err != nil {
		return "", err
	}
	beside, err := b.besidePerson()
	return "\nSeveral at once:\n\n| | | |\n|---|--:|---|\n" + crowd + beside + "\n", err
}

// crowd has the writers write at the same time, in one repository.
func (b *bench) crowd() (row string, err error) {
	dir := filepath.Join(b.dir, "crowd")
	if err := b.repository(dir, 1); err != nil {
		return "", err
	}
	var group sync.WaitGroup
	var failed atomic.Int32
	begun := time.Now()
	for w := range crowdWriters {
		group.Go(func() {
			for i := range crowdEach {
				if b.command(dir, b.memctl, "add", fmt.Sprintf("crowd.w%02d-%02d", w, i), "what one of many writes").Run() != nil {
					failed.Add(1)
				}
			}
		})
	}
	group.Wait()
	took := time.Since(begun)
	found, err := b.committedKeys(dir, "crowd.w")
	return fmt.Sprintf("| %d processes of %d `memctl add` | %.1f s | %d of %d in HEAD, %d failed |\n",
		crowdWriters, crowdEach, took.Seconds(), found, crowdWriters*crowdEach, failed.Load()), err
}

// besidePerson counts how often `git add` and `git commit` in a loop fail while one process
// after the other writes an item.
func (b *bench) besidePerson() (row string, err error) {
	dir := filepath.Join(b.dir, "beside")
	if err := b.repository(dir, 1); err != nil {
		return "", err
	}
	var over atomic.Bool
	tries, failed := 0, 0
	var group sync.WaitGroup
	group.Go(func() {
		for ; !over.Load(); tries++ {
			err := os.WriteFile(filepath.Join(dir, "mine.txt"), fmt.Append(nil, tries), 0o644)
			if err == nil {
				err = b.command(dir, "git", "add", "mine.txt").Run()
			}
			if err == nil {
				err = b.command(dir, "git", "commit", "-q", "-m", "mine").Run()
			}
			if err != nil {
				failed++
			}
		}
	})
	for i := range besideWrites {
		_ = b.command(dir, b.memctl, "add", fmt.Sprintf("beside.n%02d", i), "written beside a person's git").Run()
	}
	over.Store(true)
	group.Wait()
	// One more act commits the writes that had to wait.
	_ = b.command(dir, b.memctl, "add", "last.key", "the last").Run()
	found, err := b.committedKeys(dir, "beside.n")
	share := 100 * float64(failed) / float64(max(tries, 1))
	met := "met"
	if share > besideAim {
		met = "missed"
	}
	return fmt.Sprintf("| a person's `git add` and `git commit` in a loop, beside %d `memctl add` | %.0f%% of %d tries failed | aim %d%%: %s; %d of %d in HEAD |\n",
		besideWrites, share, tries, besideAim, met, found, besideWrites), err
}

// committedKeys counts the keys in HEAD's memory file that begin so.
func (b *bench) committedKeys(dir, prefix string) (int, error) {
	c := exec.Command("git", "show", "HEAD:memories.md")
	c.Dir = dir
	out, err := c.Output()
	return strings.Count(string(out), "key: "+prefix), err
}
