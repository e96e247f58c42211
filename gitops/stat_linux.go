package gitops

import (
	"io/fs"
	"syscall"

	"github.com/memctl/memctl/gitops/indexfile"
)

// StatRecord is what the index would note of the file now.
func StatRecord(info fs.FileInfo) (indexfile.Entry, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return indexfile.Entry{}, false
	}
	return indexfile.Entry{
		CTime: indexfile.Time{Sec: uint32(s.Ctim.Sec), Nsec: uint32(s.Ctim.Nsec)},
		MTime: indexfile.Time{Sec: uint32(s.Mtim.Sec), Nsec: uint32(s.Mtim.Nsec)},
		Dev:   uint32(s.Dev), Inode: uint32(s.Ino), UID: s.Uid, GID: s.Gid, Size: uint32(s.Size),
	}, true
}
