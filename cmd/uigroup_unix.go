//go:build unix

package cmd

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own, so that a Ctrl-C for memctl does not end it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
