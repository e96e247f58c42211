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

// SortPaths gives the paths that git can commit.
func SortPaths(ctx context.Context, r *gitops.Repo, all []string) (paths []string, err error) {
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
	return sorted(ctx, r, all, entries)
}

// SortFound is SortPaths with the entries of the index that were found.
func SortFound(ctx context.Context, r *gitops.Repo, all []string, found map[string][]indexfile.Entry) (paths []string, err error) {
	return sorted(ctx, r, all, foldRecords(found))
}

// sorted is SortPaths with what the index says of the paths.
func sorted(ctx context.Context, r *gitops.Repo, all []string, entries map[string]indexEntry) (paths []string, err error) {
	asked, taken := gitops.PathSet(all), map[string]bool{}
	for name := range entries {
		if !asked[name] && gitops.Within(asked, name) {
			return nil, fmt.Errorf("%q: git has a folder of that name", strings.Split(name, "/")[0])
		}
	}
	for _, p := range all {
		if taken[p] {
			continue
		}
		taken[p] = true
		there, err := onDisk(r, p)
		if err != nil {
			return nil, err
		}
		e, tracked := entries[p]
		switch {
		case e.unmerged:
			return nil, gitops.Blocked(gitops.WhyUnmerged, p)
		case e.hidden:
			return nil, gitops.Blocked(gitops.WhyHidden, p)
		case tracked, there:
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

// onDisk reports whether a regular file stands at the path.
func onDisk(r *gitops.Repo, p string) (bool, error) {
	fi, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(p)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%q: %w", p, err)
	}
	if !fi.Mode().IsRegular() {
		return false, fmt.Errorf("%q: not a regular file", p)
	}
	return true, nil
}

// AsGiven is a fault.ChangedOnDisk if one of the files is not on disk as given: another
// program has changed it since, or a person has removed it, and neither asked for a commit.
func AsGiven(r *gitops.Repo, files map[string][]byte) error {
	for name, data := range files {
		now, err := safefile.ReadPath(filepath.Join(r.Root, filepath.FromSlash(name)), object.MaxSize)
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
