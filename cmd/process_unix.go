//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"syscall"
)

// plainEditor is the editor that every system has.
const plainEditor = "vi"

// easyEditor is the one to try if a person's own cannot be started.
func easyEditor() string { return "nano" }

// replace replaces this process by a program. It returns only where that fails.
func replace(program string, args []string) error {
	return syscall.Exec(program, append([]string{program}, args...), os.Environ())
}

// ownGroup gives the command a process group of its own, so that a Ctrl-C for memctl does not end it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
