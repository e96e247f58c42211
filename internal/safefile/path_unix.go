//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// ReadHead reads the beginning of a regular file into buf, and follows no link at its name. It
// makes half as many system calls as os.Open, which counts where a thousand files are read.
func ReadHead(path string, buf []byte) (n int, err error) {
	fd, size, err := openPath(path, syscall.O_NOFOLLOW)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	return readFull(fd, path, buf[:min(int64(len(buf)), size)])
}

// ReadRegularFile reads a regular file of at most max bytes, as os.ReadFile does, with a third of its
// system calls: Go would ask the system whether the file can be polled. Opening never blocks.
// Errors: fault.NotAFile, fault.TooLarge, *fs.PathError.
func ReadRegularFile(path string, max int64) ([]byte, error) {
	fd, size, err := openPath(path, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	if size > max {
		return nil, TooLarge(path, size, max)
	}
	data := make([]byte, size)
	n, err := readFull(fd, path, data)
	return data[:n], err
}

// openPath opens a regular file, and tells its size.
func openPath(path string, flag int) (fd int, size int64, err error) {
	fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|flag, 0)
	if err != nil {
		return 0, 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		syscall.Close(fd)
		return 0, 0, NotAFile(path, fs.ModeIrregular)
	}
	return fd, st.Size, nil
}

// readFull fills buf, as far as the file goes.
func readFull(fd int, path string, buf []byte) (n int, err error) {
	for n < len(buf) {
		m, err := syscall.Read(fd, buf[n:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return n, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if m == 0 {
			break
		}
		n += m
	}
	return n, nil
}
