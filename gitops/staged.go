package gitops

import (
	"context"
	"os"
	"path/filepath"
)

// Staged is the file's content in the index; ok is false where the index has
// none, or has it unmerged.
func (r *Repo) Staged(ctx context.Context, path string) (content []byte, ok bool, err error) {
	entries, err := r.indexEntries(ctx, []string{path})
	if err != nil {
		return nil, false, err
	}
	e, tracked := entries[path]
	if !tracked || e.unmerged {
		return nil, false, nil
	}
	content, err = r.Blob(ctx, e.id)
	return content, err == nil, err
}

// Shallow reports whether the repository's history was cut off by a shallow
// clone.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && info.Size() > 0
}
