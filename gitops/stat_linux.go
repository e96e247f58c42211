package gitops

import (
	"io/fs"
	"syscall"
)

// statRecord is what the index would note of the file now.
func statRecord(info fs.FileInfo) (indexRecord, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return indexRecord{}, false
	}
	return indexRecord{
		ctime: stamp{uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec)}, mtime: stamp{uint32(s.Mtim.Sec), uint32(s.Mtim.Nsec)},
		ino: uint32(s.Ino), uid: s.Uid, gid: s.Gid, len: uint32(s.Size),
	}, true
}
