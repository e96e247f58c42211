package gitops

import (
	"os"
	"os/exec"
	"syscall"
)

// detach keeps a console window from opening; there is no terminal to take away.
func detach(cmd *exec.Cmd) {
	const createNoWindow = 0x08000000
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNoWindow}
}

// end kills the process; its children end with their pipes.
func end(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// writable: access lists can only be tried out; git says when it may not.
func writable(string) bool { return true }
