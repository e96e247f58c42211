//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// ReadHead reads the beginning of a regular file into buf, and follows no link at its name. It
// makes half as many system calls as os.Open, which counts where a thousand files are read.
func ReadHead(path string, buf []byte) (n int, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return 0, NotAFile(path, fs.ModeIrregular)
	}
	for n < len(buf) {
		m, err := syscall.Read(fd, buf[n:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return n, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n += m; m == 0 || int64(n) >= st.Size {
			break
		}
	}
	return n, nil
}
