// Package safefile writes files so that a crash leaves the old one or the new one, reads only regular files, and locks.
//
// Everything goes through an [os.Root], so that a name can never lead out of
// the folder it was opened for. What is not a regular file reached through
// real folders is neither read nor replaced: a symbolic link is refused even
// when it stays inside the root, because git refuses files beyond one too, and
// because replacing it by rename would silently cut the link.
package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// Symlink is the kind of a symbolic link in fault.NotAFile.
const Symlink = "a symbolic link"

// NotAFile is the error of a name that is no regular file: a folder, a symbolic link, a
// named pipe, a socket, a device.
func NotAFile(name string, mode fs.FileMode) *fault.Error {
	kind := kindOf(mode)
	return &fault.Error{Code: fault.NotAFile, Thing: name, Cause: "not a regular file (" + kind + ")", Why: kind}
}

// TooLarge is the error of a file that was not read because it passes the limit, in bytes.
func TooLarge(name string, size, max int64) *fault.Error {
	return fault.New(fault.TooLarge, name, fmt.Sprintf("has %d bytes, more than the limit of %d", size, max))
}

// Changed is the error of a file that was not written because somebody else wrote, made or
// removed it after it was read.
func Changed(name string) *fault.Error {
	return fault.New(fault.ChangedOnDisk, name, "changed on disk since it was read")
}

// kindOf names a file type for people.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return Symlink
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// lstat looks at name and at every folder on the way to it without following
// links. It fails with fs.ErrNotExist, with fault.NotAFile when something on
// the way is no folder or the end is no regular file, or with the cause.
func lstat(root *os.Root, name string) (fs.FileInfo, error) {
	clean := path.Clean(filepath.ToSlash(name))
	parts := strings.Split(clean, "/")
	for i := 1; i < len(parts); i++ {
		fi, err := lstatOne(root, strings.Join(parts[:i], "/"))
		if err != nil {
			return nil, named(name, err)
		}
		if !fi.IsDir() {
			return nil, NotAFile(name, fi.Mode().Type())
		}
	}
	fi, err := lstatOne(root, clean)
	if err != nil {
		return nil, named(name, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, NotAFile(name, fi.Mode().Type())
	}
	return fi, nil
}

// named puts the quoted name before the cause. The os package's own errors
// begin with the system call, which tells a person nothing.
func named(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		err = le.Err
	}
	return fmt.Errorf("%q: %w", name, err)
}
