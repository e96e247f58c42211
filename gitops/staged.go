package gitops

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// ShallowAt reports whether the commit is where a shallow clone was cut off: its
// parents are not here, so what it changed is not known.
func (r *Repo) ShallowAt(commit string) bool {
	list, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && slices.Contains(strings.Fields(string(list)), commit)
}

// MergeBase is the commit where the histories of two revisions parted; ok is
// false where none is known, as in a shallow clone. Errors:
// *UnknownRevisionError; *BlockedError; *Error.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (id string, ok bool, err error) {
	ids := []string{a, b}
	for i, rev := range ids {
		if ids[i], err = r.Resolve(ctx, rev); err != nil {
			return "", false, err
		}
	}
	out, err := r.git(ctx, call{args: append([]string{"merge-base"}, ids...)})
	if statusOf(err) == 1 {
		return "", false, nil
	}
	if err != nil {
		return "", false, publicError(err)
	}
	id = strings.TrimSpace(string(out))
	return id, isID(id), nil
}
