package txn

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/tests/storetest"
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
	return Write{Act: "import", Wait: time.Second, Files: true, Change: func(d *Draft) error {
		for i := range n {
			d.files = append(d.files, store.FileChange{Path: fmt.Sprintf("memories/entries/project/facts/%04d.md", i), After: fmt.Appendf(nil, "fact %d\n", i)})
		}
		return nil
	}}
}

// TestInterrupted: whenever it comes, an act of many files is in whole or not at
// all, and is undone already for the next one.
func TestInterrupted(t *testing.T) {
	const n = manyFiles + 10
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	in := 0
	for _, after := range []int{0, n / 2, n + 5, 2*n + 5, 2*n + 40, 100_000} {
		ctx := &endsAfter{Context: t.Context(), left: after}
		commits := len(b.Subjects())
		_, err := Update(ctx, b.Project(), manyFacts(n))
		files, listErr := contents.EntryFiles(t.Context(), b.Project())
		if listErr != nil || b.Git("status", "--porcelain") != "" {
			t.Fatalf("after %d: %v, the tree is %q", after, listErr, b.Git("status", "--porcelain"))
		}
		switch {
		case err != nil && len(files) == 0 && len(b.Subjects()) == commits:
		case err == nil && len(files) == n && len(b.Subjects()) == commits+1:
			in++
			b.Git("reset", "-q", "--hard", "HEAD~1")
		default:
			t.Errorf("after %d: %v, and %d files", after, err, len(files))
		}
		if left, err := Unfinished(t.Context(), b.Project()); left != nil || err != nil {
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
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	merging(b)
	if out := must(b, manyFacts(n)); out.Commit != "" || len(out.Files) != n {
		t.Fatalf("got %+v", out)
	}
	b.Git("commit", "-q", "-m", "merged")
	commits := len(b.Subjects())
	must(b, add("c.d", false))
	if now := len(b.Subjects()); now != commits+2 || b.Git("status", "--porcelain") != "" {
		t.Errorf("%d commits more, want what waited and the new one", now-commits)
	}
}
