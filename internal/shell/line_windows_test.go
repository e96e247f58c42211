package shell

import (
	"os/exec"
	"strings"
	"syscall"
)

// runLine runs a line in a shell, as a client does that hands it over unchanged.
func runLine(program string, args []string, line string) *exec.Cmd {
	c := exec.Command(program)
	if program == "cmd" {
		line = `"` + line + `"`
	} else {
		return exec.Command(program, append(args, line)...)
	}
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: program + " " + strings.Join(args, " ") + " " + line}
	return c
}
