package cmd

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// plainEditor is the editor that every system has.
const plainEditor = "notepad"

// easyEditor is the one to try if a person's own cannot be started.
func easyEditor() string { return "notepad" }

// replace runs a program to its end, since a process cannot be replaced here, and returns its status as a statusError.
func replace(program string, args []string) error {
	c := exec.Command(program, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(os.Interrupt) // Ctrl-C reaches both, and the program decides
	err := c.Run()
	var failed *exec.ExitError
	if err == nil || errors.As(err, &failed) {
		return statusError(c.ProcessState.ExitCode())
	}
	return err
}

// ownGroup gives the command a process group of its own, so that a Ctrl-C for memctl does not end it.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
