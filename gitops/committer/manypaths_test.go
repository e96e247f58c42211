package committer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/tests/gittest"
)

// TestCommitOfThousands commits more paths than fit into arguments, by memctl
// and by git.
func TestCommitOfThousands(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Write("facts/own.md", "one\n")
	b.Write("other.md", "one\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "begin")
	b.Write("other.md", "two\n")
	b.Git("add", "other.md")
	for round, edited := range []bool{false, true} {
		var own *Settings // git makes the commit
		if edited {
			own = settings(b, false)
		}
		var paths []string
		for i := range gitops.MaxArgPaths + 50 {
			name := fmt.Sprintf("facts/%d-%d.md", round, i)
			b.Write(name, name+"\n")
			paths = append(paths, name)
		}
		if edited {
			b.Write("facts/own.md", "two\n")
		}
		commit, err := commitNow(background, findRepo(b), Request{Paths: paths, Subject: "memory: import", Settings: own})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Fields(b.Git("show", "--format=", "--name-only", commit)); len(got) != len(paths) {
			t.Errorf("edited %v: %d files in the commit", edited, len(got))
		}
		blobs, _, err := object.BlobsAt(background, findRepo(b), commit, append(paths, "facts/none.md"))
		if err != nil || len(blobs) != len(paths) || blobs[paths[7]] != object.BlobID(40, []byte(paths[7]+"\n")) {
			t.Errorf("%d blobs, %v", len(blobs), err)
		}
	}
	if got := b.Git("status", "--porcelain"); strings.TrimSpace(got) != "M facts/own.md\nM  other.md" {
		t.Errorf("what was not asked for: %q", got)
	}
}
