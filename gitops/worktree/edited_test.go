package worktree

import (
	"runtime"
	"slices"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestEditedUnder lists what a person changed and removed below a folder, and nothing else.
func TestEditedUnder(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	for _, name := range []string{"m/a/same", "m/a/edited", "m/a/removed", "m/a/staged", "m/a/unstaged", "m/a/hidden", "other"} {
		b.Write(name, "one\n")
	}
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "begin")
	edited := func(largest int) []string {
		t.Helper()
		list, err := EditedUnder(background, findRepo(b), "m", largest)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := edited(0); len(got) > 0 {
		t.Errorf("edited in a fresh repository: %q", got)
	}
	for _, name := range []string{"m/a/edited", "m/a/staged", "m/a/hidden", "m/new", "other"} {
		b.Write(name, "two\n")
	}
	b.Git("add", "m/a/staged")
	b.Git("update-index", "--assume-unchanged", "m/a/hidden")
	b.Git("rm", "-q", "--cached", "m/a/unstaged")
	b.Remove("m/a/removed")
	if got, want := edited(0), []string{"m/a/edited", "m/a/removed"}; !slices.Equal(got, want) {
		t.Errorf("edited: %q, want %q", got, want)
	}
	if got := edited(3); len(got) > 0 && runtime.GOOS == "linux" {
		t.Errorf("edited in a folder of more than 3 files: %q", got)
	}
	if got := edited(5); len(got) != 2 {
		t.Errorf("edited in a folder of 5 files: %q", got)
	}
}
