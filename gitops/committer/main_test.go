package committer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

// TestMain gives git a home of its own. Run as a child, it commits instead: see
// TestParallelCommits.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GITOPS_TEST_COMMITTER"); dir != "" {
		os.Exit(commitAsChild(dir))
	}
	os.Exit(gittest.RunTests(m))
}

func findRepo(b *gittest.Box) *gitops.Repo {
	b.T.Helper()
	r, err := gitops.Find(b.Root)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// wantBlocked fails the test unless err is fault.Blocked with this reason.
func wantBlocked(t *testing.T, err error, why string) {
	t.Helper()
	if gitops.BlockedBy(err) != why {
		t.Fatalf("error = %v, want blocked: %s", err, why)
	}
}

// fromDisk gives the request the bytes of its files as they are on disk.
func fromDisk(r *gitops.Repo, req Request) Request {
	if req.Bytes == nil {
		req.Bytes = map[string][]byte{}
		for _, name := range req.Paths {
			if data, err := os.ReadFile(filepath.Join(r.Root, name)); err == nil {
				req.Bytes[name] = append([]byte{}, data...)
			}
		}
	}
	return req
}

// commitNow commits the files as they are on disk.
func commitNow(ctx context.Context, r *gitops.Repo, req Request) (string, error) {
	return Commit(ctx, r, fromDisk(r, req))
}

var background = context.Background()
