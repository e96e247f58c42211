//go:build unix

package llm

import (
	"os/exec"
	"syscall"
)

// alone puts the command into a group of its own, so that the end of its time ends all that it started.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what the command left running.
func endGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
