package object

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
)

// maxAncestors is how many commits are read here in search of an ancestor before
// git is asked, which has indexes for that.
const maxAncestors = 256

// IsAncestor reports whether the commit is in the history of another, or is that
// one. What cannot be found out counts as not. Git is started only where the answer
// is far away.
func IsAncestor(ctx context.Context, r *gitops.Repo, commit, of string) bool {
	if !gitops.IsID(commit) || !gitops.IsID(of) {
		return false
	}
	if found, known := nearAncestor(r, commit, of); known {
		return found
	}
	_, err := r.Git(ctx, gitops.Call{Args: []string{"merge-base", "--is-ancestor", commit, of}})
	return err == nil
}

// nearAncestor looks among the nearest commits. known is false if it neither found the commit nor
// saw all.
func nearAncestor(r *gitops.Repo, commit, of string) (found, known bool) {
	err := WithoutGit(r, func(o Reader) error {
		seen, whole, err := nearest(o, of, maxAncestors, commit)
		found = seen[commit]
		known = found || whole
		return err
	})
	return found, known && err == nil
}

// nearest are the nearest commits of a history: about max, and no more where one of them is
// the wanted one. whole reports whether they are all.
func nearest(o Reader, of string, max int, want string) (seen map[string]bool, whole bool, err error) {
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
func parentsOf(o Reader, commit string) (parents []string, err error) {
	c, err := ReadCommit(o, commit)
	return c.Parents, err
}

// Commit is the content of a commit.
type Commit struct {
	Tree          string
	Parents       []string
	Author, Email string
	Date          time.Time // the author's, in UTC; zero where it is none
	Ident         string    // the author's line
	Message       string
}

// ReadCommit reads a commit. Errors: ErrMissing; else the cause.
func ReadCommit(o Reader, id string) (c Commit, err error) {
	kind, data, err := o.Read(id)
	if err == nil && kind != "commit" {
		err = fmt.Errorf("%q: a %s, not a commit", id, kind)
	}
	if err != nil {
		return c, err
	}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.Message = message
	for line := range strings.SplitSeq(head, "\n") {
		switch name, value, _ := strings.Cut(line, " "); name {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Ident = value
		}
	}
	name, rest, _ := strings.Cut(c.Ident, " <")
	mail, stamp, _ := strings.Cut(rest, "> ")
	c.Author, c.Email = name, strings.TrimSuffix(mail, ">")
	seconds, _, _ := strings.Cut(stamp, " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		c.Date = time.Unix(n, 0).UTC()
	}
	return c, nil
}

// MergeBases are all commits where the histories of two revisions parted:
// several where each was merged into the other, none where none is known, as in a shallow clone. Errors:
// fault.UnknownRevision; fault.Blocked; *Error.
func MergeBases(ctx context.Context, r *gitops.Repo, a, b string) (list []string, err error) {
	ids := []string{a, b}
	for i, rev := range ids {
		if ids[i], err = Resolve(ctx, r, rev); err != nil {
			return nil, err
		}
	}
	out, err := r.Git(ctx, gitops.Call{Args: append([]string{"merge-base", "--all"}, ids...)})
	if gitops.StatusOf(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	return strings.Fields(string(out)), nil
}
