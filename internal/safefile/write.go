package safefile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
)

const (
	tempPrefix = ".memctl-"
	tempSuffix = ".tmp"
	// staleAfter is how old a temporary file must be to count as left behind
	// by a crash where its name does not tell. No write takes this long.
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
// succeed: somebody meant it. Access lists and hard links are those of a new
// file, and so is the owner: what root writes belongs to the owner of the folder. Errors: fault.NotAFile, or the system's cause (fs.ErrPermission,
// "no space left on device") with the name in front; then nothing was changed.
func Write(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return replace(root, name, data, perm, nil, beside(root, name))
}

// WriteIf is Write, only if the bytes on disk are still was (nil: the file is
// not there). The look is the last thing before the rename, and making a file
// that must not exist is exclusive. Errors: those of Write; fault.ChangedOnDisk.
func WriteIf(root *os.Root, name string, was, data []byte, perm fs.FileMode) error {
	return replace(root, name, data, perm, &expected{bytes: was}, beside(root, name))
}

// temporary is where a write's temporary file lies: a name under a root, which
// need not be the root of the file.
type temporary struct {
	root  *os.Root
	name  string
	quick bool // nobody waits for the disk
}

// expected is what must still be on disk; nil bytes mean no file.
type expected struct {
	bytes []byte
	fresh bool // no file, in a folder that was looked at: making the name fails where something has it
}

func replace(root *os.Root, name string, data []byte, perm fs.FileMode, want *expected, temp temporary) error {
	if _, err := move(root, name, data, perm, want, temp); err != nil {
		return err
	}
	if err := syncAndSweepFolder(root, folderOf(name)); err != nil {
		return named(name, err)
	}
	return nil
}

// move is replace without the last step, which makes the rename durable. It returns what the system says of the new file.
func move(root *os.Root, name string, data []byte, perm fs.FileMode, want *expected, temp temporary) (info fs.FileInfo, err error) {
	var old fs.FileInfo
	if want == nil || !want.fresh {
		if old, err = lstat(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	mode, exact := perm.Perm(), false
	if old != nil {
		mode, exact = old.Mode().Perm(), true
		if mode&0o200 == 0 {
			return nil, fmt.Errorf("%q: read-only file: %w", name, fs.ErrPermission)
		}
	}
	if info, err = temp.write(data, mode, exact); err != nil {
		return nil, named(name, err)
	}
	moved := false
	defer func() {
		if moved {
			return
		}
		gone := ignoreMissing(temp.root.Remove(temp.name))
		if err != nil {
			err = errors.Join(err, gone) // else the write is done; the next one into the folder sweeps
		}
	}()
	moved, err = moveIfExpected(root, temp, name, want)
	return info, err
}

// folderOf is the folder of a name under a root.
func folderOf(name string) string { return path.Dir(path.Clean(filepath.ToSlash(name))) }

// rename moves the temporary file over name under root.
func (t temporary) rename(root *os.Root, name string) error {
	if t.root == root {
		return patiently(func() error { return root.Rename(t.name, name) })
	}
	return Rename(filepath.Join(t.root.Name(), t.name), filepath.Join(root.Name(), name))
}

// Rename is os.Rename. On Windows it waits up to a second for a program that has one of the files open.
func Rename(from, to string) error { return patiently(func() error { return os.Rename(from, to) }) }

// openFile opens a file under root, and is as patient as Rename.
func openFile(root *os.Root, name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	err = patiently(func() (err error) {
		f, err = root.OpenFile(name, flag, perm)
		return err
	})
	return f, err
}

// link gives the temporary file a second name, name under root, which must be
// free.
func (t temporary) link(root *os.Root, name string) error {
	if t.root == root {
		return root.Link(t.name, name)
	}
	return os.Link(filepath.Join(t.root.Name(), t.name), filepath.Join(root.Name(), name))
}

// moveIfExpected moves the temporary file to its name if what is there is what is
// wanted. moved is false where the temporary file still has to be removed.
func moveIfExpected(root *os.Root, temp temporary, name string, want *expected) (moved bool, err error) {
	if want == nil {
		if err := temp.rename(root, name); err != nil {
			return false, named(name, err)
		}
		return true, nil
	}
	if want.bytes == nil {
		// A hard link fails where the name exists, which a rename does not.
		err := temp.link(root, name)
		if err == nil {
			return false, nil
		}
		if errors.Is(err, fs.ErrExist) {
			return false, Changed(name)
		}
		// A file system without hard links: the look below has to do.
	}
	if err := stillAs(root, name, want.bytes); err != nil {
		return false, err
	}
	if err := temp.rename(root, name); err != nil {
		return false, named(name, err)
	}
	return true, nil
}

// stillAs fails with fault.ChangedOnDisk unless the file holds exactly was.
func stillAs(root *os.Root, name string, was []byte) error {
	now, _, err := Read(root, name, int64(len(was)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), fault.Is(err, fault.TooLarge):
		return Changed(name)
	case err != nil:
		return err
	case was == nil || !bytes.Equal(now, was):
		return Changed(name)
	}
	return nil
}

// write makes the temporary file and fills it. exact sets the mode whatever
// the umask says.
func (t temporary) write(data []byte, mode fs.FileMode, exact bool) (info fs.FileInfo, err error) {
	begin := mode
	if exact {
		// Nobody may read the new bytes before the mode is the old file's.
		begin &= 0o600
	}
	f, err := openFile(t.root, t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|Nonblock, begin)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(t.root.Remove(t.name)))
		}
	}()
	if exact {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = giveToOwner(t.root, t.name)
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil && !t.quick {
		err = f.Sync()
	}
	if err == nil && !t.quick {
		info, err = f.Stat()
	}
	return info, errors.Join(err, f.Close())
}

// beside is a temporary file of a new name in the folder of name.
func beside(root *os.Root, name string) temporary {
	return temporary{root: root, name: path.Join(folderOf(name), TempName())}
}

// TempName is a new name for a temporary file. It says whose it is: once this
// process has ended, the next write into the folder takes the file away.
func TempName() string { return tempOf(os.Getpid()) }

// tempOf is a new name for a file of this process.
func tempOf(pid int) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return fmt.Sprintf("%s%d-%x%s", tempPrefix, pid, b, tempSuffix)
}

// syncAndSweepFolder makes the rename durable and, the folder being open already,
// removes what crashed writes left in it.
func syncAndSweepFolder(root *os.Root, dir string) (err error) {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := syncFolder(d); err != nil {
		return err
	}
	sweepFolder(root, dir, d)
	return nil
}

// Sweep removes what crashed writes left in the root's own folder.
func Sweep(root *os.Root) {
	if d, err := root.Open("."); err == nil {
		sweepFolder(root, ".", d)
		_ = d.Close()
	}
}

// sweepFolder removes what crashed writes left in an open folder. What goes
// wrong can wait for the next write.
func sweepFolder(root *os.Root, dir string, d *os.File) {
	names, err := d.Readdirnames(sweepNames)
	if err != nil {
		return
	}
	for _, n := range names {
		if strings.HasPrefix(n, tempPrefix) && strings.HasSuffix(n, tempSuffix) {
			sweep(root, path.Join(dir, n))
		}
	}
}

// sweep removes one temporary file if its writer is gone or it is stale. What
// it cannot remove stays: it hinders nobody, since every write takes a new name.
func sweep(root *os.Root, name string) {
	fi, err := root.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() || !isAbandoned(path.Base(name)) && time.Since(fi.ModTime()) < staleAfter {
		return
	}
	_ = root.Remove(name)
}

// isAbandoned reports whether a temporary file names a process that does not run any
// more.
func isAbandoned(name string) bool {
	pid, _, found := strings.Cut(strings.TrimPrefix(name, tempPrefix), "-")
	n, err := strconv.Atoi(pid)
	return found && err == nil && n > 0 && gone(n)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// OpenLog opens a file of root to add to its end, and makes it with the mode perm where there is none. Errors:
// fault.NotAFile; the system's cause.
func OpenLog(root *os.Root, name string, perm fs.FileMode) (f *os.File, size int64, err error) {
	info, missing := root.Lstat(name)
	if missing == nil {
		if !info.Mode().IsRegular() { // a named pipe would keep a hook waiting, and a link leads elsewhere
			return nil, 0, NotAFile(name, info.Mode().Type())
		}
		size = info.Size()
	}
	f, err = openFile(root, name, os.O_WRONLY|os.O_CREATE|os.O_APPEND|Nonblock, perm)
	if err == nil && missing != nil {
		if err = giveToOwner(root, name); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return f, size, err
}
