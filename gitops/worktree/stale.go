package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
)

// Stale returns those of the files that the disk has as blobs say and git's index has otherwise, each with the
// blob that the index has of it ("" for none). Files that are unmerged or hidden from git are left out. Errors:
// fault.Blocked, *Error; the system's cause.
func Stale(ctx context.Context, r *gitops.Repo, blobs map[string]string, paths []string) (stale map[string]string, err error) {
	entries, err := indexEntries(ctx, r, paths)
	stale = map[string]string{}
	for _, p := range paths {
		e := entries[p]
		if err == nil && e.id != blobs[p] && !e.unmerged && !e.hidden && diskHas(r, p, blobs[p]) {
			stale[p] = e.id
		}
	}
	return stale, err
}

// diskHas reports whether the file on disk is the blob's bytes, or is not there where
// that is "".
func diskHas(r *gitops.Repo, path, blob string) bool {
	name := filepath.Join(r.Root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return blob == ""
	}
	if err != nil || blob == "" || !info.Mode().IsRegular() || info.Size() > object.MaxSize {
		return false
	}
	data, err := safefile.ReadRegularFile(name, object.MaxSize)
	return err == nil && object.BlobID(len(blob), data) == blob
}
