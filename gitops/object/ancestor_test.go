package object

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// What is read here must be git's own answer: near, far away, beside, through a
// merge, and where a shallow clone ends.
func TestAncestorsAreThoseOfGit(t *testing.T) {
	b := gittest.NewBox(t)
	commit := func(n int) string {
		b.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(n))
		return b.Git("rev-parse", "HEAD")
	}
	first := commit(0)
	second := commit(1)
	b.Git("checkout", "-q", "-b", "side", first)
	side := commit(2)
	b.Git("merge", "-q", "--no-edit", second)
	merge := b.Git("rev-parse", "HEAD")
	cut := b.At(filepath.Join(gittest.RealTemp(t), "cut"))
	b.Git("clone", "-q", "--depth=1", "file://"+b.Root, cut.Root)
	root := b.Git("commit-tree", "-m", "alone", "HEAD^{tree}")
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
		found, known := nearAncestor(r, c.commit, c.of)
		if !known || found != c.want {
			t.Errorf("%s: %v (known: %v), not %v", c.name, found, known, c.want)
		}
		if got := IsAncestor(t.Context(), r, c.commit, c.of); got != c.want {
			t.Errorf("%s: %v in the end", c.name, got)
		}
	}
	if _, known := nearAncestor(findRepo(cut), first, merge); known {
		t.Error("a shallow clone's end was taken for the beginning")
	}
	for range maxAncestors {
		commit(3)
	}
	head := b.Git("rev-parse", "HEAD")
	if _, known := nearAncestor(findRepo(b), first, head); known {
		t.Error("all of a long history was read")
	}
	if !IsAncestor(t.Context(), findRepo(b), first, head) {
		t.Error("git was not asked about what is far away")
	}
}
