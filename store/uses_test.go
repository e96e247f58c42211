package store

import (
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

func TestUsesAreCounted(t *testing.T) {
	b := gitBox(t, memfile.Template)
	for range 2 {
		if err := b.project().NoteUses(t.Context(), []string{"a", "b"}, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	uses, err := b.project().Uses()
	if err != nil || uses["a"].Count != 2 || uses["b"].Last.IsZero() {
		t.Errorf("%v, %v", uses, err)
	}
	if status := b.git("status", "--porcelain"); status != "" {
		t.Errorf("counting changed the tree: %s", status)
	}
}
