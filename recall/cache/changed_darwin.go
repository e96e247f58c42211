package cache

import (
	"io/fs"
	"syscall"
)

// changedAt is when the system last changed anything of the file, in nanoseconds: no
// program can set it back, as it can the time of the last write. 0 where nothing
// tells.
func changedAt(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano()
	}
	return 0
}
