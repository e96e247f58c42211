package gitops

import (
	"io/fs"
	"os"
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

// ours reports whether the repository belongs to who runs this: in another's
// git decides whether it is to be trusted.
func (r *Repo) ours() bool {
	for _, dir := range []string{r.Root, r.GitDir, r.CommonDir} {
		info, err := os.Lstat(dir)
		if err != nil {
			return false
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
			return false
		}
	}
	return true
}
