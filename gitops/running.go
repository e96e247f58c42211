package gitops

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

// readingKey is where a context holds the end of the time for reading.
type readingKey struct{}

// WithReadingUntil bounds the commands that only read, all of them together:
// at that moment those under way end, and later ones fail at once, with a
// fault.Blocked. It is for an answer that is worth giving without git.
func WithReadingUntil(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, readingKey{}, end)
}

// running holds the process ids of commands under way that only read.
var running sync.Map

// runReading runs the command to its end, and lets EndReading end it earlier.
func runReading(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	running.Store(cmd.Process.Pid, nil)
	defer running.Delete(cmd.Process.Pid)
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		end(cmd.Process.Pid) // it has gone, and what it started holds its pipes
	}
	return err
}

// EndReading ends every command under way that only reads, and what it
// started, at once. It is for a process that must leave nothing behind: the
// end of a command's time asks it to end, and gives it seconds to do so.
// Commands that write are never ended so: they hold lock files.
func EndReading() {
	running.Range(func(pid, _ any) bool {
		end(pid.(int))
		return true
	})
}
