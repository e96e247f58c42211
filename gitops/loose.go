package gitops

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// readLoose reads one object that has a file of its own: zlib around "type SP
// size NUL content".
func readLoose(path string) (kind string, data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return inflateLoose(f)
}

// inflaters are zlib readers that were used: each has 40 KB of tables, which a
// write that looks at five small objects need not make five times.
var inflaters sync.Pool

// inflater gives a reader of what r holds in the zlib format.
func inflater(r io.Reader) (io.ReadCloser, error) {
	used, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return zlib.NewReader(r)
	}
	return used, used.(zlib.Resetter).Reset(r, nil)
}

func inflateLoose(r io.Reader) (kind string, data []byte, err error) {
	z, err := inflater(r)
	if err != nil {
		return "", nil, fmt.Errorf("loose object: %w", err)
	}
	defer inflaters.Put(z)
	in := bufio.NewReader(io.LimitReader(z, maxObject+looseHeader))
	head, err := in.ReadString(0)
	if err != nil || len(head) > looseHeader {
		return "", nil, errors.New("loose object: no header")
	}
	kind, length, _ := strings.Cut(strings.TrimSuffix(head, "\x00"), " ")
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil || size < 0 || size > maxObject {
		return "", nil, fmt.Errorf("loose object: size %q", length)
	}
	// To the very end, for the checksum stands there.
	data, err = io.ReadAll(in)
	if err != nil {
		return "", nil, fmt.Errorf("loose object: %w", err)
	}
	if int64(len(data)) != size {
		return "", nil, fmt.Errorf("loose object: %d bytes where %d were said", len(data), size)
	}
	return kind, data, nil
}

// looseHeader is longer than any header, in bytes.
const looseHeader = 64
