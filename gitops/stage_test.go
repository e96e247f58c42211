package gitops

import "testing"

// TestStage stages one file and nothing else, ignored or deleted too.
func TestStage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *box)
		path  string
		want  string
	}{
		"changed": {func(b *box) { b.write(memory, "two\n") }, memory, "M  memories.md\n M other.txt"},
		"deleted": {func(b *box) { b.remove(memory) }, memory, "D  memories.md\n M other.txt"},
		"new":     {func(b *box) { b.write("[n].md", "x"); b.write("n.md", "x") }, "[n].md", "A  [n].md\n M other.txt\n?? n.md"},
		"ignored": {func(b *box) { b.write(".git/info/exclude", "n.md\n"); b.write("n.md", "x") }, "n.md", "A  n.md\n M other.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.write("other.txt", "mine\n")
			c.setup(b)
			if err := findRepo(b).Stage(background, c.path); err != nil {
				t.Fatal(err)
			}
			if got := b.git("status", "--porcelain"); got != c.want {
				t.Errorf("status:\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	b := newBox(t)
	b.write("dir/a", "x")
	for _, p := range []string{"dir", ".", "../x"} {
		if err := findRepo(b).Stage(background, p); err == nil {
			t.Errorf("%q was staged", p)
		}
	}
}
