//go:build !unix

package llm

import "os/exec"

// alone changes nothing: without groups, the end of the time ends the command itself.
func alone(*exec.Cmd) {}

func endGroup(int) {}
