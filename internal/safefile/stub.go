// Package safefile writes files so that a crash leaves the old one or the new one, reads only regular files, and locks.
package safefile

import (
	"context"
	"io/fs"
	"os"
)

// Read reads name under root if it is a regular file of at most max bytes. Errors: fs.ErrNotExist, *NotAFileError, *TooLargeError.
func Read(root *os.Root, name string, max int64) ([]byte, fs.FileInfo, error) { panic("stub") }

// Write replaces name under root: temporary file in the same folder, mode, write, fsync, close, rename, fsync the folder.
// An existing file keeps its mode; perm is for a new one.
func Write(root *os.Root, name string, data []byte, perm fs.FileMode) error { panic("stub") }

// WriteIf is Write, only if the bytes on disk are still was (nil: the file is not there). Errors: *ChangedError.
func WriteIf(root *os.Root, name string, was, data []byte, perm fs.FileMode) error { panic("stub") }

// Lock takes an exclusive lock on path (made if missing, mode 0600), waiting until ctx ends. It writes who holds it
// (pid, what) into the file. Errors: *HeldError with the holder's description.
func Lock(ctx context.Context, path, what string) (unlock func() error, err error) { panic("stub") }
