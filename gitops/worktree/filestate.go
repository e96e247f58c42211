// Package worktree compares the files on disk with the index and HEAD, changes the index,
// and converts files as git's attributes ask.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
)

// FileState says how one file of the worktree stands against the index and HEAD.
type FileState struct {
	Tracked  bool // in the index or HEAD
	Ignored  bool // untracked, and an ignore rule names it
	Dirty    bool // worktree or index differs from HEAD (an untracked file is dirty)
	Conflict bool // unmerged
}

// StateOf says how one file stands: without git where it is surely clean,
// else with one start of git (two where neither git nor the disk has the file). A file that does not exist anywhere is the
// zero value. Errors: fault.Blocked, *Error.
func StateOf(ctx context.Context, r *gitops.Repo, path string) (FileState, error) {
	if err := gitops.CheckPath(path); err != nil {
		return FileState{}, err
	}
	if surelyClean(r, path) {
		return FileState{Tracked: true}, nil
	}
	states, err := States(ctx, r, []string{path})
	if s, listed := states[path]; listed || err != nil {
		return s, err
	}
	// Silence means clean, or not there at all.
	_, err = os.Lstat(filepath.Join(r.Root, filepath.FromSlash(path)))
	if err == nil {
		return FileState{Tracked: true}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return FileState{}, fmt.Errorf("%q: %w", path, err)
	}
	entries, err := indexEntries(ctx, r, []string{path})
	if err != nil {
		return FileState{}, err
	}
	_, tracked := entries[path]
	return FileState{Tracked: tracked}, nil
}

// indexEntry is what the index says of one path.
type indexEntry struct {
	id       string // of the blob at stage 0
	unmerged bool
	hidden   bool // assume-unchanged or skip-worktree: git looks away from the file
}

// indexEntries reads the index for exact paths. A path that stands for a
// folder there gives an entry for each file in it; asked about many paths, it
// gives others beside them too. Errors: fault.Blocked, *Error.
func indexEntries(ctx context.Context, r *gitops.Repo, paths []string) (map[string]indexEntry, error) {
	if own, ok := ownIndex(r, paths); ok {
		return foldRecords(own), nil
	}
	out, err := r.Git(ctx, gitops.Call{Args: append([]string{"ls-files", "-z", "-s", "-v"}, gitops.Pathspecs(paths)...)})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	entries := map[string]indexEntry{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) == 0 {
			continue
		}
		meta, name, ok := strings.Cut(string(record), "\t")
		f := strings.Fields(meta) // tag mode id stage
		if !ok || len(f) != 4 {
			return nil, fmt.Errorf("git ls-files: %q: unknown form", record)
		}
		tag := f[0]
		e := entries[name]
		e.unmerged = e.unmerged || f[3] != "0"
		e.id = f[2]
		e.hidden = e.hidden || tag == "S" || tag == strings.ToLower(tag)
		entries[name] = e
	}
	return entries, nil
}

// Restaged reports whether the index has one of the files otherwise than HEAD; a file that
// is unmerged does not count. What cannot be read counts as no.
func Restaged(ctx context.Context, r *gitops.Repo, paths []string) bool {
	entries, err := indexEntries(ctx, r, paths)
	state, stateErr := r.State()
	if err != nil || stateErr != nil || state.Unborn {
		return false
	}
	blobs, _, err := object.BlobsAt(ctx, r, state.Head, paths)
	return err == nil && slices.ContainsFunc(paths, func(p string) bool {
		return !entries[p].unmerged && entries[p].id != blobs[p]
	})
}

// foldRecords puts the stages of each path together.
func foldRecords(records map[string][]indexfile.Entry) map[string]indexEntry {
	entries := map[string]indexEntry{}
	for name, list := range records {
		var e indexEntry
		for _, r := range list {
			e.unmerged = e.unmerged || r.Stage != 0
			e.hidden = e.hidden || r.Assumed || r.Skipped
			e.id = r.ID
		}
		entries[name] = e
	}
	return entries
}

// Stale returns the files that are on disk as in blobs, but not in git's index, each with its blob in the index
// ("" for none). Files that are unmerged or hidden from git are left out. Errors: fault.Blocked, *Error; the
// system's cause.
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
