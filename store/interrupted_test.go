package store

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// endsAfter is a context that a person's Ctrl-C ends at its n-th question.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// manyFacts changes as many files as are written together.
func manyFacts(n int) Write {
	w := Write{Act: "import", Wait: time.Second}
	w.Files = func() ([]FileChange, error) {
		var list []FileChange
		for i := range n {
			list = append(list, FileChange{Path: fmt.Sprintf("memories/entries/project/facts/%04d.md", i), After: fmt.Appendf(nil, "fact %d\n", i)})
		}
		return list, nil
	}
	return w
}

// TestInterrupted: whenever it comes, an act of many files is in whole or not at
// all, and nothing of it is left for the next one.
func TestInterrupted(t *testing.T) {
	const n = manyFiles + 10
	b := gitBox(t, withItem("a.b", "one"))
	in := 0
	for _, after := range []int{0, n / 2, n + 5, 2*n + 5, 2*n + 40, 100_000} {
		ctx := &endsAfter{Context: t.Context(), left: after}
		commits := len(b.subjects())
		_, err := b.project().Update(ctx, manyFacts(n))
		files, _, listErr := b.project().EntryFiles(t.Context())
		if listErr != nil || b.git("status", "--porcelain") != "" {
			t.Fatalf("after %d: %v, the tree is %q", after, listErr, b.git("status", "--porcelain"))
		}
		switch {
		case err != nil && len(files) == 0 && len(b.subjects()) == commits:
		case err == nil && len(files) == n && len(b.subjects()) == commits+1:
			in++
			b.git("reset", "-q", "--hard", "HEAD~1")
		default:
			t.Errorf("after %d: %v, and %d files", after, err, len(files))
		}
		if _, _, left, err := b.project().Unfinished(t.Context()); left || err != nil {
			t.Errorf("after %d: an act is left: %v", after, err)
		}
	}
	if in != 1 {
		t.Errorf("%d acts came in, want the last alone", in)
	}
}

// TestManyWait: an import of many lines waits for its commit, and the acts after it
// go on.
func TestManyWait(t *testing.T) {
	const n = manyFiles + 10
	b := gitBox(t, withItem("a.b", "one"))
	b.merging()
	if out := b.must(manyFacts(n)); out.Commit != "" || len(out.Files) != n {
		t.Fatalf("got %+v", out)
	}
	b.git("commit", "-q", "-m", "merged")
	commits := len(b.subjects())
	b.must(add("c.d", false))
	if now := len(b.subjects()); now != commits+2 || b.git("status", "--porcelain") != "" {
		t.Errorf("%d commits more, want what waited and the new one", now-commits)
	}
}
