package committer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// TestMerges makes commits that take in another history, in each of the two ways.
func TestMerges(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{true, false} {
		for _, signed := range []bool{true, false} {
			t.Run(fmt.Sprintf("signed %t, by git %t", signed, byGit), func(t *testing.T) {
				t.Parallel()
				b := gittest.NewBox(t)
				if signed {
					withKey(b)
				}
				merges(b, byGit)
			})
		}
	}
}

func merges(b *gittest.Box, byGit bool) {
	t := b.T
	first, ours := b.Git("rev-parse", "HEAD~1"), b.Head()
	b.Git("checkout", "-q", "--detach", first)
	b.Write("theirs.md", "theirs\n")
	b.Git("add", "theirs.md")
	b.Git("commit", "-q", "-m", "theirs")
	theirs := b.Head()
	b.Git("checkout", "-q", "main")
	b.Write("staged.txt", "staged\n")
	b.Git("add", "staged.txt")
	b.Write("theirs.md", "theirs\n")
	req := Request{
		Paths: []string{"theirs.md"}, Bytes: map[string][]byte{"theirs.md": []byte("theirs\n")}, Subject: "memory: sync",
		Trailers: []object.Trailer{{Name: "Memory-Act", Value: "sync"}}, Settings: settings(b, byGit), Merge: &Merge{From: first, With: theirs},
	}
	if _, err := commitNow(background, findRepo(b), req); !fault.Is(err, fault.Moved) || b.Head() != ours {
		t.Fatalf("a branch that is elsewhere: %v", err)
	}
	req.Merge.From = ours
	id, err := commitNow(background, findRepo(b), req)
	if err != nil || id != b.Head() {
		t.Fatalf("%s, %v", id, err)
	}
	if got := b.Git("log", "-1", "--format=%P %s"); got != ours+" "+theirs+" memory: sync" {
		t.Errorf("%q", got)
	}
	if got := b.Git("status", "--porcelain"); got != "A  staged.txt" {
		t.Errorf("what is staged did not stay, or the index is behind: %q", got)
	}

	// No file changes, and the histories are joined all the same.
	req = Request{Subject: "memory: sync", Settings: settings(b, byGit), Merge: &Merge{From: id, With: first}}
	if joined, err := commitNow(background, findRepo(b), req); err != nil || b.Git("log", "-1", "--format=%P", joined) != id+" "+first {
		t.Errorf("%s, %v", joined, err)
	}

	// The branch is in the other history: it moves to that commit itself.
	b.Git("reset", "-q", "--hard", first)
	b.Write("theirs.md", "theirs\n")
	req = Request{Paths: []string{"theirs.md"}, Subject: "memory: sync", Settings: settings(b, byGit), Merge: &Merge{From: first, With: theirs, Forward: true}}
	if id, err := commitNow(background, findRepo(b), req); err != nil || id != theirs || b.Head() != theirs || b.Git("status", "--porcelain") != "" {
		t.Errorf("forward: %s, %v, %q", id, err, b.Git("status", "--porcelain"))
	}

	// There it makes a commit of its own where its files are others.
	b.Git("reset", "-q", "--hard", first)
	b.Write("theirs.md", "ours\n")
	if id, err := commitNow(background, findRepo(b), req); err != nil || b.Git("log", "-1", "--format=%P", id) != theirs {
		t.Errorf("forward with a change: %s, %v", id, err)
	}

	// A branch without commits begins with the other history.
	b.Git("checkout", "-q", "--orphan", "new")
	b.Git("rm", "-rqf", "--cached", ".")
	b.Git("reset", "-q")
	for name := range strings.SplitSeq(b.Git("ls-tree", "-r", "--name-only", theirs), "\n") {
		req.Paths = append(req.Paths, name)
		b.Write(name, b.Git("cat-file", "blob", theirs+":"+name)+"\n")
	}
	req.Paths, req.Merge.From = req.Paths[1:], ""
	if id, err := commitNow(background, findRepo(b), req); err != nil || id != theirs {
		t.Errorf("unborn: %s, %v", id, err)
	}
	b.Git("fsck", "--strict")
}
