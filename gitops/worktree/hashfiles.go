package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
)

// HashFiles stores bytes as git would commit them for the files of these paths,
// filters and line ends included, and gives their ids. It costs one start of git for
// all files that stand in the worktree just so, and one for each other. Errors:
// fault.Blocked; *Error.
func HashFiles(ctx context.Context, r *gitops.Repo, files map[string][]byte) (map[string]string, error) {
	found := make(map[string]string, len(files))
	if len(files) > 1 {
		hashOnDisk(ctx, r, files, found)
	}
	for p, data := range files {
		if found[p] != "" {
			continue
		}
		id, err := Clean(ctx, r, p, data)
		if err != nil {
			return nil, err
		}
		found[p] = id
	}
	return found, nil
}

// hashOnDisk is HashFiles for what stands in the worktree. Where a file changed
// while git read it, and where git could not read them, it adds nothing.
func hashOnDisk(ctx context.Context, r *gitops.Repo, files map[string][]byte, found map[string]string) {
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return
	}
	defer root.Close()
	var paths []string
	for p, data := range files {
		if hasBytes(root, p, data) && !strings.Contains(p, "\n") {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return
	}
	slices.Sort(paths)
	c := gitops.Call{Args: []string{"hash-object", "-w", "--stdin-paths"}, Config: gitops.QuietConfig(), Stdin: []byte(strings.Join(paths, "\n") + "\n"), Writes: true}
	out, err := r.Git(ctx, c)
	ids := strings.Fields(string(out))
	if err != nil || len(ids) != len(paths) {
		return
	}
	for i, p := range paths {
		// Behind a filter only the file itself tells that it was what git read.
		if object.BlobID(len(ids[i]), files[p]) == ids[i] || hasBytes(root, p, files[p]) {
			found[p] = ids[i]
		}
	}
}

// hasBytes reports whether the file has these bytes.
func hasBytes(root *os.Root, path string, data []byte) bool {
	now, _, err := safefile.Read(root, filepath.FromSlash(path), int64(len(data)))
	return err == nil && bytes.Equal(now, data)
}
