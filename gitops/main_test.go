package gitops

import (
	"context"
	"os"
	"testing"

	"github.com/memctl/memctl/gitops/gittest"
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

// WantBlocked fails the test unless err is fault.Blocked with this reason.
func wantBlocked(t *testing.T, err error, why string) {
	t.Helper()
	if BlockedBy(err) != why {
		t.Fatalf("error = %v, want blocked: %s", err, why)
	}
}

var background = context.Background()
