package gitops

import (
	"context"
	"os"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestMain gives git a home of its own.
func TestMain(m *testing.M) { os.Exit(gittest.RunTests(m)) }

func findRepo(b *gittest.Box) *Repo {
	b.T.Helper()
	r, err := Find(b.Root)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

var background = context.Background()
