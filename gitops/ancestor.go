package gitops

import (
	"context"
	"maps"
	"slices"
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

// Outside are those of the commits that are not in the history of another, be it that
// git has them no more. Two gits are started for all of them.
func (r *Repo) Outside(ctx context.Context, commits []string, of string) map[string]bool {
	outside := map[string]bool{}
	if !isID(of) || len(commits) == 0 {
		return outside
	}
	stdin := "^" + of + "\n"
	for _, id := range commits {
		if isID(id) {
			stdin += id + "\n"
		}
	}
	out, err := r.git(ctx, call{args: []string{"rev-list", "--ignore-missing", "--stdin"}, stdin: []byte(stdin)})
	if err != nil {
		return outside
	}
	for line := range strings.Lines(string(out)) {
		if id := strings.TrimSpace(line); slices.Contains(commits, id) {
			outside[id] = true
		}
	}
	_, ids, _ := strings.Cut(stdin, "\n")
	out, err = r.git(ctx, call{args: []string{"cat-file", "--batch-check"}, stdin: []byte(ids)})
	for line := range strings.Lines(string(out)) {
		if id, gone := strings.CutSuffix(strings.TrimSpace(line), " missing"); gone && err == nil {
			outside[id] = true
		}
	}
	return outside
}

// nearAncestor looks at the nearest commits, and knows where it found the one or
// came to the end of them all.
func (r *Repo) nearAncestor(commit, of string) (found, known bool) {
	p := r.plainReader()
	if p == nil {
		return false, false
	}
	err := r.withFiles(p, func(o objectReader) error {
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

// NearOnly gives those of the nearest commits of a history that are not among the nearest
// ones of another. It looks at max of each and starts no git. It gives nothing where the
// two have none of these commits in common, as then it is not known which are far away.
func (r *Repo) NearOnly(of, other string, max int) map[string]bool {
	p := r.plainReader()
	if p == nil || !isID(of) || !isID(other) {
		return nil
	}
	var only map[string]bool
	common := false
	err := r.withFiles(p, func(o objectReader) error {
		others, _, err := nearest(o, other, max, of)
		if err != nil {
			return err
		}
		only, _, err = nearest(o, of, max, "")
		maps.DeleteFunc(only, func(id string, _ bool) bool {
			common = common || others[id]
			return others[id]
		})
		return err
	})
	if err != nil || !common {
		return nil
	}
	return only
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
