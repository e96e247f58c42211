//go:build unix

package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Nonblock is for opening files: it keeps the opening of a named pipe from waiting for its other
// end, and saves four system calls, by which Go would find out whether the file can be polled.
const Nonblock = syscall.O_NONBLOCK

// patiently is for Windows, where an open file keeps others from it.
func patiently(do func() error) error { return do() }

// lstatOne is root.Lstat, which needs no patience here.
func lstatOne(root *os.Root, name string) (os.FileInfo, error) { return root.Lstat(name) }

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

// giveToOwner gives what root has made to the owner of the folder that it is in: a container's root would lock the owner
// of a repository out of files that only their owner may read.
func giveToOwner(root *os.Root, name string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	dir, err := root.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	owner, ok := dir.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return root.Lchown(name, int(owner.Uid), int(owner.Gid))
}

// OtherOwner returns who owns a file or folder, if that is another user.
func OtherOwner(path string) (owner string, other bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(s.Uid) == os.Geteuid() {
		return "", false
	}
	if s.Uid == 0 {
		return "root", true
	}
	return "user " + strconv.Itoa(int(s.Uid)), true
}
