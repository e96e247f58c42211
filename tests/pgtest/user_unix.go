//go:build unix

package pgtest

import (
	"os/exec"
	"syscall"
)

func runAsNobody(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
