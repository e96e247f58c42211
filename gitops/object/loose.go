package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"

	"github.com/memctl/memctl/internal/safefile"
)

// readLoose reads one object that has a file of its own.
func readLoose(path string) (kind string, data []byte, err error) {
	packed, err := safefile.ReadRegularFile(path, MaxSize)
	if err != nil {
		return "", nil, err
	}
	return inflateLoose(bytes.NewReader(packed))
}

func inflateLoose(r io.Reader) (kind string, data []byte, err error) {
	z, err := objfile.NewReader(r)
	if err != nil {
		return "", nil, fmt.Errorf("loose object: %w", err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	t, size, err := z.Header()
	if err == nil && (size < 0 || size > MaxSize) {
		err = fmt.Errorf("%d bytes", size)
	}
	if err == nil {
		// One byte more than the size, so that the checksum at the end is read and verified.
		data, err = io.ReadAll(io.LimitReader(z, size+1))
	}
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("%d bytes instead of %d", len(data), size)
	}
	if err != nil {
		return "", nil, fmt.Errorf("loose object: %w", err)
	}
	return t.String(), data, nil
}
