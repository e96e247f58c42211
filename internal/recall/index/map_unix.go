//go:build unix

package index

import (
	"fmt"
	"os"
	"syscall"
)

// Map gives a file's bytes without reading them: only what a query touches comes
// into memory. The file must be replaced as a whole, never changed in place. The
// bytes are good until release is called.
func Map(path string) (data []byte, release func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping outlives it
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular() || size > MaxSegmentBytes:
		return nil, nil, fmt.Errorf("%q: no index file", path)
	case size == 0:
		return nil, func() error { return nil }, nil
	default:
		data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", path, err)
		}
		return data, func() error { return syscall.Munmap(data) }, nil
	}
}
