//go:build !unix

package safefile

import "os"

// Nonblock is for opening files. It has no effect here, where no pipe stands in a folder.
const Nonblock = 0

// syncFolder: Windows cannot flush a folder, and its renames are journalled.
func syncFolder(*os.File) error { return nil }

// gone reports whether no process has this id.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	_ = p.Release()
	return false
}

// giveToOwner is for Unix, where root is another user.
func giveToOwner(*os.Root, string) error { return nil }

// OtherOwner returns who owns a file or folder, if that is another user; here that is not known.
func OtherOwner(string) (owner string, other bool) { return "", false }
