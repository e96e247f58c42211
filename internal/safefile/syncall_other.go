//go:build !linux

package safefile

import (
	"errors"
	"os"
)

// syncAll says that this system has no way to flush one file system and wait.
func syncAll(*os.Root) error { return errors.ErrUnsupported }
