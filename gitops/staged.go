package gitops

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
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

// Unmerged are the ids of the versions of a file that a merge could not put together:
// the base, ours and theirs, each "" where there is none; ok is false where the
// index has the file merged. Errors: *BlockedError, *Error.
func (r *Repo) Unmerged(ctx context.Context, path string) (stages [3]string, ok bool, err error) {
	out, err := r.git(ctx, call{args: append([]string{"ls-files", "-z", "-u"}, pathspecs([]string{path})...)})
	if err != nil {
		return stages, false, publicError(err)
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, name, _ := strings.Cut(record, "\t")
		f := strings.Fields(meta) // mode id stage
		if len(f) != 3 || name != path || len(f[2]) != 1 || f[2][0] < '1' || f[2][0] > '3' {
			continue
		}
		stages[f[2][0]-'1'], ok = f[1], true
	}
	return stages, ok, nil
}

// KnowsConflict reports whether the index has the conflict of a file that was marked as
// resolved, so that git can make it anew.
func (r *Repo) KnowsConflict(ctx context.Context, path string) bool {
	out, err := r.git(ctx, call{args: append([]string{"ls-files", "-z", "--resolve-undo"}, pathspecs([]string{path})...)})
	return err == nil && strings.Contains(string(out), "\t"+path+"\x00")
}

// Shallow reports whether the repository's history was cut off by a shallow
// clone.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && info.Size() > 0
}

// Partial reports whether objects of the history may be missing here on purpose: git
// has fetched some of them from a remote that promises the rest.
func (r *Repo) Partial() bool {
	return len(safefile.Glob(r.CommonDir, "objects/pack/*.promisor")) > 0
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
	ids, err := r.MergeBases(ctx, a, b)
	if err != nil || len(ids) == 0 {
		return "", false, err
	}
	return ids[0], true, nil
}

// MergeBases are all commits where the histories of two revisions parted:
// several where each was merged into the other. Errors: as MergeBase.
func (r *Repo) MergeBases(ctx context.Context, a, b string) (list []string, err error) {
	ids := []string{a, b}
	for i, rev := range ids {
		if ids[i], err = r.Resolve(ctx, rev); err != nil {
			return nil, err
		}
	}
	out, err := r.git(ctx, call{args: append([]string{"merge-base", "--all"}, ids...)})
	if statusOf(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, publicError(err)
	}
	return strings.Fields(string(out)), nil
}

// UnmergedUnder are the files below a folder that a merge could not put
// together, in order. Errors: *BlockedError, *Error.
func (r *Repo) UnmergedUnder(ctx context.Context, folder string) ([]string, error) {
	out, err := r.git(ctx, call{args: append([]string{"ls-files", "-z", "-u"}, pathspecs([]string{folder})...)})
	if err != nil {
		return nil, publicError(err)
	}
	var names []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		if _, name, ok := strings.Cut(record, "\t"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
