//go:build !unix

package safefile

import "os"

// openNonblock: no pipe stands in a folder here.
const openNonblock = 0

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
