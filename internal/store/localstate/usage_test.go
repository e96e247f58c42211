package localstate

import (
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestUsesAreCounted(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	for range 2 {
		if err := NoteUses(b.Project(), []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
	}
	uses, err := Uses(b.Project())
	if err != nil || uses["a"].Count != 2 || uses["b"].Last.IsZero() {
		t.Errorf("%v, %v", uses, err)
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("counting changed the tree: %s", status)
	}
}
