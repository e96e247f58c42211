package edit

import (
	"testing"

	"github.com/memctl/memctl/memory"
)

func TestNearlySame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"the tests need Docker running", "The tests always need Docker running.", true},
		{"the tests need Docker running", "the tests need Docker running", true},
		{"use tabs", "use spaces", false},
		{"use tabs", "use tabs", false}, // the same fact is found by its id
		{"retries live in client.go and stop after three", "the parser has a package of its own since May", false},
	} {
		if got := mostlySame(memory.Words(c.a), memory.Words(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
