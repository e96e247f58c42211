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
