package safefile

import (
	"errors"
	"io/fs"
	"os"
)

// WriteCache replaces name under root by renaming a temporary file over it, as
// Write does, but without waiting for the disk: after a power cut the file may
// be empty or torn. What crashed writes left in root goes. It is for caches that carry a checksum and can be rebuilt.
func WriteCache(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	tmp := TempName()
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|Nonblock, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, giveToOwner(root, tmp), f.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	Sweep(root)
	return nil
}
