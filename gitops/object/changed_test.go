package object

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestChangedFilesAreThoseOfGit: against a commit's first parent, in any folder, also where a file becomes a folder and at the end of
// a shallow clone.
func TestChangedFilesAreThoseOfGit(t *testing.T) {
	b := gittest.NewBox(t)
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "a/b", "a/b.c", "a.b", "memories/e/1", "memories/e/2", "memories/f/g/3", "memories"}
	for range 40 {
		name := names[random.IntN(len(names))]
		if random.IntN(3) == 0 {
			b.Git("rm", "-rqf", "--ignore-unmatch", name)
		} else if _, err := b.Try("rm", "-rqf", "--ignore-unmatch", name, strings.SplitN(name, "/", 2)[0]); err == nil {
			b.Write(name, "text "+string(rune('a'+random.IntN(3)))+"\n")
			b.Git("add", name)
		}
		b.Git("commit", "-qm", "change", "--allow-empty")
	}
	shallow := filepath.Join(gittest.RealTemp(t), "shallow")
	b.Git("clone", "-q", "--depth=3", "file://"+b.Root, shallow)
	compared := 0
	for _, b := range []*gittest.Box{b, b.At(shallow)} {
		r := findRepo(b)
		for _, commit := range strings.Fields(b.Git("rev-list", "HEAD")) {
			for _, folder := range []string{".", "memories", "memories/e", "a", "none"} {
				got, err := ChangedFiles(background, r, commit, folder)
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, f := range got {
					lines = append(lines, f.Path)
				}
				want := b.Git("diff-tree", "-r", "--root", "--no-commit-id", "--name-only", "--no-renames", commit, "--", folder+"/")
				slices.Sort(lines)
				if !slices.Equal(lines, slices.Sorted(slices.Values(strings.Fields(want)))) {
					t.Errorf("%s in %s: %q, want %q", commit, folder, lines, want)
				}
				compared += len(lines)
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d changes were compared", compared)
	}
}
