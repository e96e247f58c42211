package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// WriteVia is WriteIf for the holder of a lock that every writer of name takes,
// where a file beside name would be in somebody's way, as it is in a worktree
// that is about to be committed whole. The temporary file lies in the folder
// via, and beside name only where it cannot be moved from there (another file
// system). Its name is always the same, so that what a killed writer left goes
// with the next write. name must be a plain file name. Errors: those of WriteIf.
func WriteVia(root *os.Root, via, name string, was, data []byte, perm fs.FileMode) error {
	if filepath.Base(name) != name {
		return fmt.Errorf("%q: %w", name, fs.ErrInvalid)
	}
	b := NewBatch(root, via)
	return errors.Join(b.Write(name, was, data, perm), b.Close())
}

// Batch writes and removes several files under one root as WriteVia does one,
// for the holder of a lock that every writer of them takes. Each file is the
// old one or the new one at any moment; the renames are durable once Close
// has returned, since a folder of thousands is flushed once and not for each.
type Batch struct {
	root    *os.Root
	via     *os.Root // nil: temporary files lie beside
	folders []string // to be flushed, in the order they were first touched
}

// NewBatch begins a batch; via is the folder of the temporary files.
func NewBatch(root *os.Root, via string) *Batch {
	b := &Batch{root: root}
	if at, err := os.OpenRoot(via); err == nil {
		b.via = at
	}
	return b
}

// Write replaces name, whose folder must exist, if its bytes are still was
// (nil: the file is not there). Errors: those of WriteIf.
func (b *Batch) Write(name string, was, data []byte, perm fs.FileMode) error {
	temp := tempPrefix + path.Base(filepath.ToSlash(name)) + tempSuffix
	next := temporary{b.root, path.Join(folderOf(name), temp)}
	if err := ignoreMissing(b.root.Remove(next.name)); err != nil {
		return named(name, err)
	}
	want := &expected{was}
	if b.via != nil {
		_ = b.via.Remove(temp) // what stays is in the way of making it, which tells
		err := move(b.root, name, data, perm, want, temporary{b.via, temp})
		if !errors.Is(err, errNotMoved) {
			b.touched(name, err)
			return err
		}
	}
	err := move(b.root, name, data, perm, want, next)
	b.touched(name, err)
	return err
}

// Remove removes name if its bytes are still was. Errors: *NotAFileError,
// *ChangedError, or the system's cause with the name in front.
func (b *Batch) Remove(name string, was []byte) error {
	if err := stillAs(b.root, name, was); err != nil {
		return err
	}
	if err := b.root.Remove(filepath.FromSlash(name)); err != nil {
		return named(name, err)
	}
	b.touched(name, nil)
	return nil
}

func (b *Batch) touched(name string, err error) {
	if dir := folderOf(name); err == nil && !slices.Contains(b.folders, dir) {
		b.folders = append(b.folders, dir)
	}
}

// Close makes all that was moved durable.
func (b *Batch) Close() error {
	var failed error
	for _, dir := range b.folders {
		// A folder that went with its last file has nothing left to flush.
		if err := ignoreMissing(finishFolder(b.root, dir)); err != nil {
			failed = errors.Join(failed, named(dir, err))
		}
	}
	if b.via != nil {
		failed = errors.Join(failed, b.via.Close())
	}
	return failed
}
