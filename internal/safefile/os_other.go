//go:build !unix

package safefile

import "os"

// openNonblock: no pipe stands in a folder here.
const openNonblock = 0

// syncFolder: Windows cannot flush a folder, and its renames are journalled.
func syncFolder(*os.File) error { return nil }
