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

func inflateLoose(r io.Reader) (kind string, data []byte, err error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return "", nil, fmt.Errorf("loose object: %w", err)
	}
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
