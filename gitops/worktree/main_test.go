package worktree

import (
	"context"
	"os"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

// TestMain gives git a home of its own.
func TestMain(m *testing.M) { os.Exit(gittest.RunTests(m)) }

func findRepo(b *gittest.Box) *gitops.Repo {
	b.T.Helper()
	r, err := gitops.Find(b.Root)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

var background = context.Background()
