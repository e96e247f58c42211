//go:build !unix

package index

import (
	"fmt"
	"os"
)

// Map gives a file's bytes; here it reads them, so that the file can be replaced
// meanwhile. release does nothing.
func Map(path string) (data []byte, release func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxSegmentBytes {
		return nil, nil, fmt.Errorf("%q: no index file", path)
	}
	data, err = os.ReadFile(path)
	return data, func() error { return nil }, err
}
