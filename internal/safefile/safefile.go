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
)

// NotAFileError says that a name stands for something that is no regular file:
// a folder, a symbolic link, a named pipe, a socket, a device.
type NotAFileError struct {
	Name string      // relative to the root, as it was asked for
	Mode fs.FileMode // the type bits of what stands there
}

func (e *NotAFileError) Error() string {
	return fmt.Sprintf("%q: not a regular file (%s)", e.Name, kindOf(e.Mode))
}

// TooLargeError says that a file was not read because it passes the limit.
type TooLargeError struct {
	Name string
	Size int64 // bytes, as far as known: at least Max+1
	Max  int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%q: %d bytes, more than the %d that are read", e.Name, e.Size, e.Max)
}

// ChangedError says that a file was not written because it is no longer the
// one that was read: somebody else wrote, made or removed it meanwhile.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%q: changed on disk since it was read", e.Name)
}

// kindOf names a file type for people.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
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
// links. It fails with fs.ErrNotExist, with *NotAFileError when something on
// the way is no folder or the end is no regular file, or with the cause.
func lstat(root *os.Root, name string) (fs.FileInfo, error) {
	clean := path.Clean(filepath.ToSlash(name))
	parts := strings.Split(clean, "/")
	for i := 1; i < len(parts); i++ {
		fi, err := root.Lstat(strings.Join(parts[:i], "/"))
		if err != nil {
			return nil, named(name, err)
		}
		if !fi.IsDir() {
			return nil, &NotAFileError{Name: name, Mode: fi.Mode().Type()}
		}
	}
	fi, err := root.Lstat(clean)
	if err != nil {
		return nil, named(name, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, &NotAFileError{Name: name, Mode: fi.Mode().Type()}
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
