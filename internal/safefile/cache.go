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
