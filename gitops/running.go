package gitops

import (
	"os/exec"
	"sync"
)

// running holds the process ids of commands under way that only read.
var running sync.Map

// runReading runs the command to its end, and lets EndReading end it earlier.
func runReading(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	running.Store(cmd.Process.Pid, nil)
	defer running.Delete(cmd.Process.Pid)
	return cmd.Wait()
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
