package gitops

import (
	"path/filepath"
	"testing"
)

// TestStaged reads what the index holds, not what is on disk.
func TestStaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *box)
		want  string
		ok    bool
	}{
		"as in HEAD":   {func(*box) {}, "one\n", true},
		"half-staged":  {func(b *box) { b.write(memory, "two\n"); b.git("add", memory); b.write(memory, "three\n") }, "two\n", true},
		"not staged":   {func(b *box) { b.write(memory, "two\n") }, "one\n", true},
		"taken out":    {func(b *box) { b.git("rm", "-q", "--cached", memory) }, "", false},
		"in conflict":  {conflicted, "", false},
		"empty, added": {func(b *box) { b.write(memory, ""); b.git("add", memory) }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			c.setup(b)
			data, ok, err := findRepo(b).Staged(background, memory)
			if err != nil || ok != c.ok || string(data) != c.want {
				t.Errorf("Staged = %q, %v, %v", data, ok, err)
			}
		})
	}
}

// conflicted leaves the memory file unmerged.
func conflicted(b *box) {
	b.git("checkout", "-q", "-b", "side")
	b.write(memory, "side\n")
	b.git("commit", "-q", "-a", "-m", "side")
	b.git("checkout", "-q", "main")
	b.write(memory, "main\n")
	b.git("commit", "-q", "-a", "-m", "main")
	_, _ = b.try("merge", "side")
}

func TestShallow(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	if findRepo(b).Shallow() {
		t.Error("a whole repository counts as shallow")
	}
	dir := filepath.Join(realTemp(t), "clone")
	b.git("clone", "-q", "--depth=1", "file://"+b.root, dir)
	if !findRepo(b.at(dir)).Shallow() {
		t.Error("a shallow clone does not")
	}
}
