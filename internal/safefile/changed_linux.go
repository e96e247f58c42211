package safefile

import (
	"io/fs"
	"syscall"
)

// ChangedAt returns when the system last changed anything of the file, in nanoseconds. No
// program can set it back, as it can the time of the last write. 0 where the system does not
// say.
func ChangedAt(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
