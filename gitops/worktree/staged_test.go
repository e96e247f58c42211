package worktree

import (
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestStaged reads what the index holds, not what is on disk.
func TestStaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		want  string
		ok    bool
	}{
		"as in HEAD": {func(*gittest.Box) {}, "one\n", true},
		"half-staged": {func(b *gittest.Box) {
			b.Write(gittest.Memory, "two\n")
			b.Git("add", gittest.Memory)
			b.Write(gittest.Memory, "three\n")
		}, "two\n", true},
		"not staged":   {func(b *gittest.Box) { b.Write(gittest.Memory, "two\n") }, "one\n", true},
		"taken out":    {func(b *gittest.Box) { b.Git("rm", "-q", "--cached", gittest.Memory) }, "", false},
		"in conflict":  {conflicted, "", false},
		"empty, added": {func(b *gittest.Box) { b.Write(gittest.Memory, ""); b.Git("add", gittest.Memory) }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			c.setup(b)
			data, ok, err := Staged(background, findRepo(b), gittest.Memory)
			if err != nil || ok != c.ok || string(data) != c.want {
				t.Errorf("Staged = %q, %v, %v", data, ok, err)
			}
		})
	}
}

// conflicted leaves the memory file unmerged.
func conflicted(b *gittest.Box) {
	b.Git("checkout", "-q", "-b", "side")
	b.Write(gittest.Memory, "side\n")
	b.Git("commit", "-q", "-a", "-m", "side")
	b.Git("checkout", "-q", "main")
	b.Write(gittest.Memory, "main\n")
	b.Git("commit", "-q", "-a", "-m", "main")
	_, _ = b.Try("merge", "side")
}

func TestShallow(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	if findRepo(b).Shallow() {
		t.Error("a whole repository counts as shallow")
	}
	dir := filepath.Join(gittest.RealTemp(t), "clone")
	b.Git("clone", "-q", "--depth=1", "file://"+b.Root, dir)
	if !findRepo(b.At(dir)).Shallow() {
		t.Error("a shallow clone does not")
	}
}
