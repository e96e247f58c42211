package gitops

import (
	"fmt"
	"strings"
	"testing"
)

// TestCommitOfThousands commits more paths than fit into arguments, where they
// are all that changed in their folder, and where they are not.
func TestCommitOfThousands(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("facts/own.md", "one\n")
	b.write("other.md", "one\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "begin")
	b.write("other.md", "two\n")
	b.git("add", "other.md")
	for round, edited := range []bool{false, true} {
		var paths []string
		for i := range maxArgPaths + 50 {
			name := fmt.Sprintf("facts/%d-%d.md", round, i)
			b.write(name, name+"\n")
			paths = append(paths, name)
		}
		if edited {
			b.write("facts/own.md", "two\n")
		}
		specs, err := findRepo(b).folded(background, paths)
		if err != nil || !edited && len(specs) != 1 {
			t.Fatalf("%d pathspecs, %v", len(specs), err)
		}
		commit, err := findRepo(b).Commit(background, CommitRequest{Paths: paths, Subject: "memory: import"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Fields(b.git("show", "--format=", "--name-only", commit)); len(got) != len(paths) {
			t.Errorf("edited %v: %d files in the commit", edited, len(got))
		}
		blobs, _, err := findRepo(b).BlobsAt(background, commit, append(paths, "facts/none.md"))
		if err != nil || len(blobs) != len(paths) || blobs[paths[7]] != BlobID(40, []byte(paths[7]+"\n")) {
			t.Errorf("%d blobs, %v", len(blobs), err)
		}
	}
	if got := b.git("status", "--porcelain"); strings.TrimSpace(got) != "M facts/own.md\nM  other.md" {
		t.Errorf("what was not asked for: %q", got)
	}
	loose := 0
	if _, err := fmt.Sscan(b.git("count-objects"), &loose); err != nil || loose > maxArgPaths {
		t.Errorf("an object a file: %d, %v", loose, err)
	}
}
