//go:build unix

package states

import (
	"os"
	"os/exec"
	"syscall"
)

// nobody is a user who owns nothing here.
const nobody = 65534

// runAs makes the command another user's.
func runAs(cmd *exec.Cmd, uid int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}

// isRoot reports whether permissions do not bind the tests' own user.
func isRoot() bool { return os.Geteuid() == 0 }
