package gitops

import (
	"context"
	"errors"
	"os"
	"testing"
)

// TestMain gives git a home of its own, so that nobody's settings decide what
// the tests see. Run as a child, it commits instead: see TestParallelCommits.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GITOPS_TEST_COMMITTER"); dir != "" {
		os.Exit(commitAsChild(dir))
	}
	os.Exit(runTests(m))
}

func findRepo(b *box) *Repo {
	b.t.Helper()
	r, err := Find(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// wantBlocked fails the test unless err is a BlockedError with this reason.
func wantBlocked(t *testing.T, err error, why string) {
	t.Helper()
	var blocked *BlockedError
	if !errors.As(err, &blocked) || blocked.Why != why {
		t.Fatalf("error = %v, want blocked: %s", err, why)
	}
}

var background = context.Background()
