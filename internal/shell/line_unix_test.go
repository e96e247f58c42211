//go:build unix

package shell

import "os/exec"

func runLine(program string, args []string, line string) *exec.Cmd {
	return exec.Command(program, append(args, line)...)
}
