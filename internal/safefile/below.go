package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OpenBelow opens the folder dir, which is top or lies below it; with make it makes the
// folders that are missing, for this user alone. The way from top to dir has no symbolic
// links: whoever can put one there would choose the files that memctl writes. top itself may
// be reached through links, because the person or git chose it. Errors: one that is
// fs.ErrNotExist; fault.NotAFile with the path of the link; or the system's cause.
func OpenBelow(top, dir string, make bool) (*os.Root, error) {
	way, err := filepath.Rel(top, dir)
	if err != nil || !filepath.IsLocal(way) {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrInvalid}
	}
	if make {
		if err := os.MkdirAll(top, 0o700); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil || way == "." {
		return root, err
	}
	for name := range strings.SplitSeq(way, string(filepath.Separator)) {
		next, err := openFolder(root, name, make)
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// openFolder opens one folder of root that is no link.
func openFolder(root *os.Root, name string, make bool) (*os.Root, error) {
	there, err := root.Lstat(name)
	if make && errors.Is(err, fs.ErrNotExist) {
		if err = root.Mkdir(name, 0o700); err == nil {
			err = giveToOwner(root, name)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		there, err = root.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	link := NotAFile(filepath.Join(root.Name(), name), fs.ModeSymlink)
	if there.Mode()&fs.ModeSymlink != 0 {
		return nil, link
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(there, opened) {
		err = link // it has just taken the folder's place
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}
