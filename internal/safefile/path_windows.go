package safefile

import (
	"errors"
	"io"
	"os"
)

// ReadHead reads the beginning of a regular file into buf, and follows no link at its name.
func ReadHead(path string, buf []byte) (n int, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, NotAFile(path, info.Mode().Type())
	}
	f, err := openShared(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err = io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// ReadRegularFile reads a regular file of at most max bytes, as os.ReadFile does. Errors:
// fault.NotAFile, fault.TooLarge, *fs.PathError.
func ReadRegularFile(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, NotAFile(path, info.Mode().Type())
	case info.Size() > max:
		return nil, TooLarge(path, info.Size(), max)
	}
	f, err := openShared(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, info.Size(), max)
}
