//go:build unix

package gitops

import (
	"os/exec"
	"syscall"
)

// detach gives the command a session of its own: no terminal on which gpg or
// ssh could ask, and a Ctrl-C meant for us does not stop git half-way. At the
// end of its time it and its children get SIGTERM, so that git removes its
// lock files.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// end kills the process that detach set apart, and its children.
func end(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// writable reports whether this process may make files in the folder.
func writable(dir string) bool {
	const writeAndSearch = 2 | 1
	return syscall.Access(dir, writeAndSearch) == nil
}
