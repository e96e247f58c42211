package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
)

// SortPaths gives the paths that a commit of these bytes is about: a path to remove (nil) only if git knows it.
func SortPaths(ctx context.Context, r *gitops.Repo, all []string, data map[string][]byte) (paths []string, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	if err := gitops.CheckPaths(all); err != nil {
		return nil, err
	}
	entries, err := indexEntries(ctx, r, all)
	if err != nil {
		return nil, err
	}
	return sorted(ctx, r, all, data, entries)
}

// SortFound is SortPaths with the entries of the index that were found.
func SortFound(ctx context.Context, r *gitops.Repo, all []string, data map[string][]byte, found map[string][]indexfile.Entry) (paths []string, err error) {
	return sorted(ctx, r, all, data, foldRecords(found))
}

// sorted is SortPaths with what the index says of the paths.
func sorted(ctx context.Context, r *gitops.Repo, all []string, data map[string][]byte, entries map[string]indexEntry) (paths []string, err error) {
	asked, taken := gitops.PathSet(all), map[string]bool{}
	for name := range entries {
		if !asked[name] && gitops.IsBelowAny(asked, name) {
			return nil, fmt.Errorf("%q: git has a folder of that name", strings.Split(name, "/")[0])
		}
	}
	for _, p := range all {
		if taken[p] {
			continue
		}
		taken[p] = true
		if err := regular(r, p); err != nil {
			return nil, err
		}
		e, tracked := entries[p]
		switch {
		case e.unmerged:
			return nil, gitops.Blocked(gitops.WhyUnmerged, p)
		case e.hidden:
			return nil, gitops.Blocked(gitops.WhyHidden, p)
		case tracked, data[p] != nil:
			paths = append(paths, p)
		default:
			in, err := inHead(ctx, r, p)
			if err != nil {
				return nil, err
			}
			if in {
				paths = append(paths, p)
			}
		}
	}
	return paths, nil
}

// regular is an error if something else than a file stands at the path.
func regular(r *gitops.Repo, p string) error {
	fi, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", p, err)
	}
	return nil
}

// AsGiven is a fault.ChangedOnDisk if one of the files is not on disk as given: another
// program has changed it since.
func AsGiven(r *gitops.Repo, files map[string][]byte) error {
	for name, data := range files {
		now, err := safefile.ReadRegularFile(filepath.Join(r.Root, filepath.FromSlash(name)), object.MaxSize)
		if data == nil && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || data == nil || !bytes.Equal(now, data) {
			return safefile.Changed(name)
		}
	}
	return nil
}

// inHead reports whether HEAD has the path.
func inHead(ctx context.Context, r *gitops.Repo, p string) (bool, error) {
	s, err := r.State()
	if err != nil || s.Unborn {
		return false, err
	}
	_, ok, err := object.FileAt(ctx, r, s.Head, p)
	return ok, err
}
