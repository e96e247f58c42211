package gitops

import (
	"fmt"
	"path/filepath"
	"testing"
)

// What is read here must be git's own answer: near, far away, beside, through a
// merge, and where a shallow clone ends.
func TestAncestorsAreThoseOfGit(t *testing.T) {
	b := newBox(t)
	commit := func(n int) string {
		b.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(n))
		return b.git("rev-parse", "HEAD")
	}
	first := commit(0)
	second := commit(1)
	b.git("checkout", "-q", "-b", "side", first)
	side := commit(2)
	b.git("merge", "-q", "--no-edit", second)
	merge := b.git("rev-parse", "HEAD")
	cut := b.at(filepath.Join(realTemp(t), "cut"))
	b.git("clone", "-q", "--depth=1", "file://"+b.root, cut.root)
	root := b.git("commit-tree", "-m", "alone", "HEAD^{tree}")
	r := findRepo(b)
	for _, c := range []struct {
		name, commit, of string
		want             bool
	}{
		{"itself", first, first, true},
		{"the parent", first, second, true},
		{"the child", second, first, false},
		{"a sibling", second, side, false},
		{"through a merge's first parent", side, merge, true},
		{"through its second", second, merge, true},
		{"another history", root, merge, false},
	} {
		found, known := r.nearAncestor(c.commit, c.of)
		if !known || found != c.want {
			t.Errorf("%s: %v (known: %v), not %v", c.name, found, known, c.want)
		}
		if got := r.IsAncestor(t.Context(), c.commit, c.of); got != c.want {
			t.Errorf("%s: %v in the end", c.name, got)
		}
	}
	if _, known := findRepo(cut).nearAncestor(first, merge); known {
		t.Error("a shallow clone's end was taken for the beginning")
	}
	for range maxAncestors {
		commit(3)
	}
	head := b.git("rev-parse", "HEAD")
	if _, known := findRepo(b).nearAncestor(first, head); known {
		t.Error("all of a long history was read")
	}
	if !findRepo(b).IsAncestor(t.Context(), first, head) {
		t.Error("git was not asked about what is far away")
	}
}
