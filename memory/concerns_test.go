package memory_test

import (
	"os"
	"strings"
	"testing"

	"github.com/memctl/memctl/memory"
)

// TestConcerns reads testdata/concerns.txt: statements and listed items. It holds how many of those that a statement may change
// are found at least; no other one may be.
func TestConcerns(t *testing.T) {
	data, err := os.ReadFile("testdata/concerns.txt")
	if err != nil {
		t.Fatal(err)
	}
	found, changes, others := 0, 0, 0
	for line := range strings.Lines(string(data)) {
		part := strings.Split(strings.TrimSpace(line), " | ")
		if len(part) != 4 {
			t.Fatalf("%q is no pair", line)
		}
		near := memory.Concerns(part[1], part[2], part[3]) > 0
		switch {
		case part[0] == "changes":
			if changes++; near {
				found++
			} else {
				t.Logf("missed: %s", line)
			}
		case part[0] == "other":
			if others++; near {
				t.Errorf("not about the same: %s", line)
			}
		}
	}
	if changes < 20 || others < 20 || found < 16 {
		t.Errorf("%d of %d found, %d others", found, changes, others)
	}
}
