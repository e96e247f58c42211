//go:build unix

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// Nonblock is for opening files: it keeps the opening of a named pipe from waiting for its other
// end, and saves four system calls, by which Go would find out whether the file can be polled.
const Nonblock = syscall.O_NONBLOCK

// syncFolder makes a rename in the folder durable. Some file systems (network
// mounts) cannot do it and say EINVAL or ENOTSUP; there is nothing more to do then.
func syncFolder(d *os.File) error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// gone reports whether no process has this id.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
