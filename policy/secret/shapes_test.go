package secret

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memctl/memctl/policy/chars"
)

// What the tables hold is written down: policy's own test reads it, and wants a new
// revision where it changes.
func TestTablesAreWrittenDown(t *testing.T) {
	sum := sha256.Sum256(fmt.Append(nil, shapesA, shapesUpper, shapesAtoC, shapesDtoF, shapesG, shapesHtoL, shapesMtoO, shapesPtoR, shapesS, shapesTtoZ, shapesOther,
		Stems, twoParts, services, placeholderParts, commonWords, flaggedCommands, givingWords))
	want := fmt.Sprintf("%x", sum[:8])
	got, err := os.ReadFile("testdata/tables.txt")
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("the tables changed: write this to policy/secret/testdata/tables.txt: %s", want)
	}
}

func TestShapesStandWhereTheirFirstByteLooksForThem(t *testing.T) {
	n := 0
	for _, list := range [][]shape{shapesA, shapesUpper, shapesAtoC, shapesDtoF, shapesG, shapesHtoL, shapesMtoO, shapesPtoR, shapesS, shapesTtoZ, shapesOther} {
		for _, s := range list {
			n++
			found := false
			for _, o := range shapesOf(s.prefix[0]) {
				found = found || o == s
			}
			if !found {
				t.Errorf("%q is in no list of its first byte", s.prefix)
			}
			if s.prefix[0] != '$' && len(s.prefix)+s.min < chars.Shortest {
				t.Errorf("%q may be shorter than %d bytes, which are passed over", s.prefix, chars.Shortest)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d shapes", n)
	}
}
