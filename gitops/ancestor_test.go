package gitops

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
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
	r, missing := b.find(), strings.Repeat("1", len(first))
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
		if got := r.Outside(t.Context(), []string{c.commit, missing}, c.of); got[c.commit] == c.want || !got[missing] {
			t.Errorf("%s: outside are %v", c.name, got)
		}
	}
	for _, c := range []struct {
		name, of, other string
		want            []string
	}{
		{"after a reset", second, first, []string{second}},
		{"a sibling", side, second, []string{side}},
		{"nothing but what the other has", first, merge, nil},
		{"another history", root, merge, nil},
	} {
		got := r.NearOnly(c.of, c.other, 2)
		if list := slices.Collect(maps.Keys(got)); !slices.Equal(list, c.want) {
			t.Errorf("%s: only %v, not %v", c.name, list, c.want)
		}
	}
	if _, known := cut.find().nearAncestor(first, merge); known {
		t.Error("a shallow clone's end was taken for the beginning")
	}
	for range maxAncestors {
		commit(3)
	}
	head := b.git("rev-parse", "HEAD")
	if _, known := b.find().nearAncestor(first, head); known {
		t.Error("all of a long history was read")
	}
	if !b.find().IsAncestor(t.Context(), first, head) {
		t.Error("git was not asked about what is far away")
	}
}
