package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// NotInIndex lists those of the paths whose entry in the index is not the blob wanted;
// "" wants none. Those that a merge left, or that are hidden from git, are not among them.
// Errors: *BlockedError, *Error.
func (r *Repo) NotInIndex(ctx context.Context, paths []string, want map[string]string) (list []string, err error) {
	entries, err := r.indexEntries(ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if e := entries[p]; e.id != want[p] && !e.unmerged && !e.hidden {
			list = append(list, p)
		}
	}
	return list, nil
}

// MergeBegan is the commit that HEAD was at when the person's last merge (or reset, or
// rebase) began, "" where nothing says so.
func (r *Repo) MergeBegan() string {
	data, err := readSmall(filepath.Join(r.GitDir, "ORIG_HEAD"))
	if id := strings.TrimSpace(string(data)); err == nil && isID(id) {
		return id
	}
	return ""
}

// DiskHas reports whether the file on disk is the blob's bytes, or is not there where
// that is "".
func (r *Repo) DiskHas(path, blob string) bool {
	name := filepath.Join(r.Root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return blob == ""
	}
	if err != nil || blob == "" || !info.Mode().IsRegular() || info.Size() > maxObject {
		return false
	}
	data, err := os.ReadFile(name)
	return err == nil && BlobID(len(blob), data) == blob
}

// ChangedAt is when the newest commit of HEAD that changed one of the files was made, the
// zero time where none did. Errors: *BlockedError, *Error.
func (r *Repo) ChangedAt(ctx context.Context, paths []string) (time.Time, error) {
	out, err := r.git(ctx, call{args: append([]string{"log", "-1", "--format=%ct", "HEAD"}, pathspecs(paths)...)})
	if err != nil {
		return time.Time{}, publicError(err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return time.Time{}, nil
	}
	return time.Unix(seconds, 0), nil
}
