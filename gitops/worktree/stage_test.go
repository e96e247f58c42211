package worktree

import (
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestStage stages one file and nothing else, ignored or deleted too.
func TestStage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		path  string
		want  string
	}{
		"changed": {func(b *gittest.Box) { b.Write(gittest.Memory, "two\n") }, gittest.Memory, "M  memories.md\n M other.txt"},
		"deleted": {func(b *gittest.Box) { b.Remove(gittest.Memory) }, gittest.Memory, "D  memories.md\n M other.txt"},
		"new":     {func(b *gittest.Box) { b.Write("[n].md", "x"); b.Write("n.md", "x") }, "[n].md", "A  [n].md\n M other.txt\n?? n.md"},
		"ignored": {func(b *gittest.Box) { b.Write(".git/info/exclude", "n.md\n"); b.Write("n.md", "x") }, "n.md", "A  n.md\n M other.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			b.Write("other.txt", "mine\n")
			c.setup(b)
			if err := Stage(background, findRepo(b), c.path, false); err != nil {
				t.Fatal(err)
			}
			if got := b.Git("status", "--porcelain"); got != c.want {
				t.Errorf("status:\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	b := gittest.NewBox(t)
	b.Write("dir/a", "x")
	for _, p := range []string{"dir", ".", "../x"} {
		if err := Stage(background, findRepo(b), p, false); err == nil {
			t.Errorf("%q was staged", p)
		}
	}
}
