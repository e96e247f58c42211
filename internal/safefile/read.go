package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// maxLinks bounds the links that Behind follows.
const maxLinks = 40

// Behind returns the name of the file that a name under root leads to, by links that do not leave root; name itself where it is
// no link, or leads elsewhere.
func Behind(root *os.Root, name string) string {
	at := name
	for range maxLinks {
		info, err := root.Lstat(at)
		if err != nil {
			return name
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return at
		}
		to, err := root.Readlink(at)
		if at = path.Join(path.Dir(at), filepath.ToSlash(to)); err != nil || filepath.IsAbs(to) || !filepath.IsLocal(at) {
			return name
		}
	}
	return name
}

// Read reads name under root if it is a regular file of at most max bytes.
// Opening never blocks, not even on a named pipe. Errors: one that is
// fs.ErrNotExist, fault.NotAFile, fault.TooLarge, or the system's cause with
// the name in front.
func Read(root *os.Root, name string, max int64) (data []byte, info fs.FileInfo, err error) {
	f, fi, err := openRegular(root, name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if fi.Size() > max {
		return nil, nil, TooLarge(name, fi.Size(), max)
	}
	data, err = readAll(f, fi.Size(), max)
	if err != nil {
		return nil, nil, named(name, err)
	}
	if int64(len(data)) > max {
		return nil, nil, TooLarge(name, int64(len(data)), max)
	}
	return data, fi, nil
}

// ReadTail reads the last max bytes of name under root if it is a regular
// file; all of it where it has no more. A file that grows meanwhile gives what
// stood there before. Errors: as with Read, but for its size.
func ReadTail(root *os.Root, name string, max int64) (data []byte, err error) {
	f, fi, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size := min(fi.Size(), max)
	data, err = readAll(io.NewSectionReader(f, fi.Size()-size, size), size, max)
	if err != nil {
		return nil, named(name, err)
	}
	return data, nil
}

// openRegular opens a regular file, and never blocks.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	// Looking comes first because opening alone can have effects (a device, a
	// pipe's waiting writer); the second look, at the open file, is the one
	// that counts when somebody swaps the file in between.
	if _, err := lstat(root, name); err != nil {
		return nil, nil, err
	}
	f, err := openFile(root, name, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, nil, named(name, err)
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
		err = named(name, err)
	case !fi.Mode().IsRegular():
		err = NotAFile(name, fi.Mode().Type())
	default:
		return f, fi, nil
	}
	return nil, nil, errors.Join(err, f.Close())
}

// readAll reads up to max+1 bytes into a buffer made for size, so that the
// usual file costs one allocation and a growing one is still noticed.
func readAll(r io.Reader, size, max int64) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for int64(len(buf)) <= max {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):cap(buf)]
		if over := int64(len(buf)+len(room)) - (max + 1); over > 0 {
			room = room[:int64(len(room))-over]
		}
		n, err := r.Read(room)
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// Glob lists what stands below the folder under the slashed pattern, as [path.Match] has
// it. The folder's own name is no pattern: one may well be called "[slug]". What cannot
// be read is passed over.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

// WriteCache replaces name under root by renaming a temporary file over it, as
// Write does, but without waiting for the disk: after a power cut the file may
// be empty or torn. What crashed writes left in root goes. It is for caches that carry a checksum and can be rebuilt.
func WriteCache(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	tmp := temporary{root: root, name: TempName(), quick: true}
	if _, err := tmp.write(data, perm, false); err != nil {
		return err
	}
	if err := tmp.rename(root, name); err != nil {
		return errors.Join(err, root.Remove(tmp.name))
	}
	Sweep(root)
	return nil
}
