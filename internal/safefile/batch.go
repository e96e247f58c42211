package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/fault"
)

// Batch writes and removes several files under one root, for the holder of a lock that all their
// writers take. Temporary files lie in the folder via, because beside the files they would be in
// somebody's way, as in a worktree that is about to be committed whole. They lie beside the files
// only if via is on another file system. Each file is the old one or the new one at any moment. The
// renames are durable once Close has returned: it flushes a folder of thousands once.
type Batch struct {
	root    *os.Root
	via     *os.Root // nil: temporary files lie beside
	folders []string // to be flushed, in the order they were first touched
	touched map[string]bool
}

// NewBatch begins a batch; via is the folder of the temporary files, which Close closes. nil
// puts them beside the files.
func NewBatch(root, via *os.Root) *Batch {
	return &Batch{root: root, via: via, touched: map[string]bool{}}
}

// Write replaces name, whose folder must exist, if its bytes are still was
// (nil: the file is not there), and returns what the system says of the new file. Errors: those of WriteIf.
func (b *Batch) Write(name string, was, data []byte, perm fs.FileMode) (info fs.FileInfo, err error) {
	want := &expected{bytes: was, fresh: was == nil && b.touched[folderOf(name)]}
	if b.via != nil {
		info, err = move(b.root, name, data, perm, want, temporary{root: b.via, name: TempName()})
	}
	if b.via == nil || err != nil && !fault.Is(err, fault.ChangedOnDisk) { // the folder may be of another file system
		info, err = move(b.root, name, data, perm, want, beside(b.root, name))
	}
	if err == nil {
		b.touch(name)
	}
	return info, err
}

// Remove removes name if its bytes are still was. Errors: fault.NotAFile,
// fault.ChangedOnDisk, or the system's cause with the name in front.
func (b *Batch) Remove(name string, was []byte) error {
	if err := stillAs(b.root, name, was); err != nil {
		return err
	}
	if err := patiently(func() error { return b.root.Remove(filepath.FromSlash(name)) }); err != nil {
		return named(name, err)
	}
	b.touch(name)
	return nil
}

func (b *Batch) touch(name string) {
	if dir := folderOf(name); !b.touched[dir] {
		b.touched[dir] = true
		b.folders = append(b.folders, dir)
	}
}

// Close makes all that was moved durable.
func (b *Batch) Close() error {
	var failed error
	for _, dir := range b.folders {
		// A folder that went with its last file has nothing left to flush.
		if err := ignoreMissing(syncAndSweepFolder(b.root, dir)); err != nil {
			failed = errors.Join(failed, named(dir, err))
		}
	}
	if b.via != nil {
		Sweep(b.via)
		failed = errors.Join(failed, b.via.Close())
	}
	return failed
}
