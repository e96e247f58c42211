package safefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll flushes the whole file system that root lies on. Errors: the
// system's.
func syncAll(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}
