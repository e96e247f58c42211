package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/safefile"
)

// The merge driver, as git's config names it. Without memctl on the path, and
// where it cannot merge by meaning, git merges the text.
const (
	driverName    = "merge.memctl.name"
	driverCommand = "merge.memctl.driver"
	driverTitle   = "memctl: memory files by meaning"
	driverLine    = "{ command -v memctl >/dev/null 2>&1 && memctl merge-driver %O %A %B %P; } || git merge-file -L ours -L base -L theirs %A %O %B"
)

// maxAttributes is the size, in bytes, above which info/attributes is left alone.
const maxAttributes = 1 << 20

// attributes is our part of the repository's own info/attributes, which all
// its worktrees share and no commit holds.
func attributes() managed.Block {
	return managed.Block{
		Begin: "# memctl: merge memory by meaning",
		End:   "# memctl end",
		Body:  "memories.md merge=memctl\nmemories/entries/**/*.md merge=memctl\nmemories/notes/**/*.md merge=memctl\n",
	}
}

// MergeDriver reports whether the repository merges memory files by meaning.
// Errors: *Error, *BlockedError; managed.ErrMarks, managed.ErrChanged.
func (r *Repo) MergeDriver(ctx context.Context) (bool, error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return false, err
	}
	if e, _ := cfg.Get(driverCommand); e.Value != driverLine {
		return false, nil
	}
	src, err := r.readAttributes()
	if err != nil {
		return false, err
	}
	_, current, err := attributes().Has(src)
	return current, err
}

// SetMergeDriver makes git merge memory files by meaning in this repository:
// the driver in its own config, the attributes in its info/attributes. It
// reports whether anything had to be changed. Errors: as MergeDriver;
// *safefile.ChangedError where the attributes changed meanwhile.
func (r *Repo) SetMergeDriver(ctx context.Context) (changed bool, err error) {
	if there, err := r.MergeDriver(ctx); there || err != nil {
		return false, err
	}
	src, err := r.readAttributes()
	if err != nil {
		return false, err
	}
	next, err := attributes().Install(src)
	if err != nil {
		return false, err
	}
	// The command first, the attributes last: git ends a merge with an error
	// where a driver has a name and no command.
	for _, set := range [][2]string{{driverCommand, driverLine}, {driverName, driverTitle}} {
		if err := r.SetConfig(ctx, set[0], set[1]); err != nil {
			return false, err
		}
	}
	return true, r.writeAttributes(src, next)
}

func (r *Repo) readAttributes() ([]byte, error) {
	root, err := os.OpenRoot(filepath.Join(r.CommonDir, "info"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, "attributes", maxAttributes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return src, err
}

func (r *Repo) writeAttributes(was, next []byte) error {
	dir := filepath.Join(r.CommonDir, "info")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return safefile.WriteIf(root, "attributes", was, next, 0o666)
}
