package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Batch writes and removes several files under one root, for the holder of a lock
// that every writer of them takes, where a file beside them would be in somebody's
// way, as it is in a worktree that is about to be committed whole. A temporary file
// lies in the folder via, and beside its name only where it cannot be moved from
// there (another file system). Each file is the
// old one or the new one at any moment; the renames are durable once Close
// has returned, since a folder of thousands is flushed once and not for each.
type Batch struct {
	root    *os.Root
	via     *os.Root // nil: temporary files lie beside
	folders []string // to be flushed, in the order they were first touched
	touched map[string]bool
	late    bool
	fresh   []string // new files that are not flushed yet
	folder  *os.Root // the folder of the last new file, below root
	dir     string   // its name
}

// FlushLate makes Close flush the new files, all at once, where Write would
// flush each: for thousands of them. Until Close has returned, a power cut may
// leave a new file empty, or its end as zeros. It is for a caller who has
// written down what the files shall be, and looks at them after a crash.
func (b *Batch) FlushLate() { b.late = true }

// NewBatch begins a batch; via is the folder of the temporary files, which Close closes. nil
// puts them beside the files.
func NewBatch(root, via *os.Root) *Batch {
	return &Batch{root: root, via: via, touched: map[string]bool{}}
}

// Write replaces name, whose folder must exist, if its bytes are still was
// (nil: the file is not there). Errors: those of WriteIf.
func (b *Batch) Write(name string, was, data []byte, perm fs.FileMode) error {
	root, at, late := b.root, name, b.late && was == nil
	if late {
		root, at = b.below(name)
	}
	want := &expected{was}
	if b.via != nil {
		err := move(root, at, data, perm, want, temporary{root: b.via, name: TempName(), late: late})
		if !errors.Is(err, errNotMoved) {
			b.touch(name, late, err)
			return err
		}
	}
	next := beside(root, at)
	next.late = late
	err := move(root, at, data, perm, want, next)
	b.touch(name, late, err)
	return err
}

// below is the folder of a name as a root of its own, so that not every step of
// the way is walked for each of the thousands of files in it.
func (b *Batch) below(name string) (root *os.Root, base string) {
	dir := folderOf(name)
	if dir == "." {
		return b.root, name
	}
	if b.folder == nil || b.dir != dir {
		folder, err := b.root.OpenRoot(filepath.FromSlash(dir))
		if err != nil {
			return b.root, name
		}
		b.leave()
		b.folder, b.dir = folder, dir
	}
	return b.folder, path.Base(filepath.ToSlash(name))
}

func (b *Batch) leave() {
	if b.folder != nil {
		b.folder.Close()
		b.folder = nil
	}
}

// Remove removes name if its bytes are still was. Errors: fault.NotAFile,
// fault.ChangedOnDisk, or the system's cause with the name in front.
func (b *Batch) Remove(name string, was []byte) error {
	if err := stillAs(b.root, name, was); err != nil {
		return err
	}
	if err := b.root.Remove(filepath.FromSlash(name)); err != nil {
		return named(name, err)
	}
	b.touch(name, false, nil)
	return nil
}

func (b *Batch) touch(name string, late bool, err error) {
	if err != nil {
		return
	}
	if dir := folderOf(name); !b.touched[dir] {
		b.touched[dir] = true
		b.folders = append(b.folders, dir)
	}
	if late {
		b.fresh = append(b.fresh, name)
	}
}

// Close makes all that was moved durable.
func (b *Batch) Close() error {
	b.leave()
	failed := b.flush()
	for _, dir := range b.folders {
		// A folder that went with its last file has nothing left to flush.
		if err := ignoreMissing(finishFolder(b.root, dir)); err != nil {
			failed = errors.Join(failed, named(dir, err))
		}
	}
	if b.via != nil {
		Sweep(b.via)
		failed = errors.Join(failed, b.via.Close())
	}
	return failed
}

// flush makes the new files durable: the whole file system at once where that
// can be asked for, else each.
func (b *Batch) flush() error {
	if len(b.fresh) == 0 || syncAll(b.root) == nil {
		return nil
	}
	var failed error
	for _, name := range b.fresh {
		f, err := b.root.Open(filepath.FromSlash(name))
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if ignoreMissing(err) != nil {
			failed = errors.Join(failed, named(name, err))
		}
	}
	return failed
}
