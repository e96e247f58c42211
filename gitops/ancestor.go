package gitops

import (
	"context"
	"strings"
)

// maxAncestors is how many commits are read here in search of an ancestor before
// git is asked, which has indexes for that.
const maxAncestors = 256

// IsAncestor reports whether the commit is in the history of another, or is that
// one. What cannot be found out counts as not. Git is started only where the answer
// is far away.
func (r *Repo) IsAncestor(ctx context.Context, commit, of string) bool {
	if !isID(commit) || !isID(of) {
		return false
	}
	if found, known := r.nearAncestor(commit, of); known {
		return found
	}
	_, err := r.git(ctx, call{args: []string{"merge-base", "--is-ancestor", commit, of}})
	return err == nil
}

// nearAncestor looks at the nearest commits, and knows where it found the one or
// came to the end of them all.
func (r *Repo) nearAncestor(commit, of string) (found, known bool) {
	err := r.withoutGit(func(o objectReader) error {
		seen, whole, err := nearest(o, of, maxAncestors, commit)
		found = seen[commit]
		known = found || whole
		return err
	})
	return found, known && err == nil
}

// nearest are the nearest commits of a history: about max, and no more where one of them is
// the wanted one. whole reports whether they are all.
func nearest(o objectReader, of string, max int, want string) (seen map[string]bool, whole bool, err error) {
	seen = map[string]bool{of: true}
	for queue := []string{of}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == want || len(seen) > max {
			return seen, false, nil
		}
		parents, err := parentsOf(o, queue[0])
		if err != nil {
			return seen, false, err // a shallow clone's end, for one
		}
		for _, parent := range parents {
			if !seen[parent] {
				seen[parent] = true
				queue = append(queue, parent)
			}
		}
	}
	return seen, true, nil
}

// parentsOf reads a commit's parents.
func parentsOf(o objectReader, commit string) (parents []string, err error) {
	_, data, err := o.read(commit)
	head, _, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		if id, ok := strings.CutPrefix(line, "parent "); ok {
			parents = append(parents, id)
		}
	}
	return parents, err
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
