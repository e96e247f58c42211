package states

import "os/exec"

const nobody = 65534

func runAs(*exec.Cmd, int) {}

func isRoot() bool { return false }
