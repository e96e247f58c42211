package safefile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	tempPrefix = ".memctl-"
	tempSuffix = ".tmp"
	// staleAfter is how old a temporary file must be to count as left behind
	// by a crash. No write takes this long.
	staleAfter = time.Hour
	// sweepNames bounds the names looked at for stale files in one write, so
	// that a folder of 100,000 entries does not make each write slow.
	sweepNames = 1000
)

// Write replaces name under root: temporary file in the same folder, mode,
// write, fsync, close, rename, fsync the folder. A crash leaves the old bytes
// or the new ones. The folder must exist.
//
// An existing file keeps its mode; perm (less the umask) is for a new one. A
// file that its owner may not write is refused, although a rename would
// succeed: somebody meant it. Owner, access lists and hard links are those of
// a new file. Errors: *NotAFileError, or the system's cause (fs.ErrPermission,
// "no space left on device") with the name in front; then nothing was changed.
func Write(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return replace(root, name, data, perm, nil)
}

// WriteIf is Write, only if the bytes on disk are still was (nil: the file is
// not there). The look is the last thing before the rename, and making a file
// that must not exist is exclusive. Errors: those of Write; *ChangedError.
func WriteIf(root *os.Root, name string, was, data []byte, perm fs.FileMode) error {
	return replace(root, name, data, perm, &expected{was})
}

// expected is what must still be on disk; nil bytes mean no file.
type expected struct{ bytes []byte }

func replace(root *os.Root, name string, data []byte, perm fs.FileMode, want *expected) (err error) {
	old, err := lstat(root, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mode, exact := perm.Perm(), false
	if old != nil {
		mode, exact = old.Mode().Perm(), true
		if mode&0o200 == 0 {
			return fmt.Errorf("%q: read-only file: %w", name, fs.ErrPermission)
		}
	}
	dir := path.Dir(path.Clean(filepath.ToSlash(name)))
	temp, err := writeTemp(root, dir, data, mode, exact)
	if err != nil {
		return named(name, err)
	}
	moved := false
	defer func() {
		if !moved {
			err = errors.Join(err, ignoreMissing(root.Remove(temp)))
		}
	}()
	moved, err = settle(root, temp, name, want)
	if err != nil {
		return err
	}
	if err := finishFolder(root, dir); err != nil {
		return named(name, err)
	}
	return nil
}

// settle moves the temporary file to its name if what is there is what is
// wanted. moved is false where the temporary file still has to be removed.
func settle(root *os.Root, temp, name string, want *expected) (moved bool, err error) {
	if want == nil {
		if err := root.Rename(temp, name); err != nil {
			return false, named(name, err)
		}
		return true, nil
	}
	if want.bytes == nil {
		// A hard link fails where the name exists, which a rename does not.
		err := root.Link(temp, name)
		if err == nil {
			return false, nil
		}
		if errors.Is(err, fs.ErrExist) {
			return false, &ChangedError{Name: name}
		}
		// A file system without hard links: the look below has to do.
	}
	if err := stillAs(root, name, want.bytes); err != nil {
		return false, err
	}
	if err := root.Rename(temp, name); err != nil {
		return false, named(name, err)
	}
	return true, nil
}

// stillAs fails with *ChangedError unless the file holds exactly was.
func stillAs(root *os.Root, name string, was []byte) error {
	now, _, err := Read(root, name, int64(len(was)))
	var large *TooLargeError
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &large):
		return &ChangedError{Name: name}
	case err != nil:
		return err
	case was == nil || !bytes.Equal(now, was):
		return &ChangedError{Name: name}
	}
	return nil
}

// writeTemp writes data to a new file in dir and returns its name under root.
// exact sets the mode whatever the umask says.
func writeTemp(root *os.Root, dir string, data []byte, mode fs.FileMode, exact bool) (name string, err error) {
	name = path.Join(dir, tempName())
	open := mode
	if exact {
		// Nobody may read the new bytes before the mode is the old file's.
		open &= 0o600
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, open)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(root.Remove(name)))
		}
	}()
	if exact {
		err = f.Chmod(mode)
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	return name, errors.Join(err, f.Close())
}

func tempName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return tempPrefix + hex.EncodeToString(b[:]) + tempSuffix
}

// finishFolder makes the rename durable and, the folder being open already,
// removes what crashed writes left in it.
func finishFolder(root *os.Root, dir string) (err error) {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := syncFolder(d); err != nil {
		return err
	}
	names, err := d.Readdirnames(sweepNames)
	if err != nil && err != io.EOF {
		return nil // the write is done; cleaning can wait for the next one
	}
	for _, n := range names {
		if strings.HasPrefix(n, tempPrefix) && strings.HasSuffix(n, tempSuffix) {
			sweep(root, path.Join(dir, n))
		}
	}
	return nil
}

// sweep removes one temporary file if it is stale. What it cannot remove stays:
// it hinders nobody, since every write takes a new name.
func sweep(root *os.Root, name string) {
	fi, err := root.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() || time.Since(fi.ModTime()) < staleAfter {
		return
	}
	_ = root.Remove(name)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
