package policy

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The tables cannot change without the revision: caches of verdicts hang on it.
// To mend it, raise the constant revision and write the line that the failure
// shows to testdata/revision.txt.
func TestTheRevisionChangesWithTheTables(t *testing.T) {
	sum := sha256.Sum256(fmt.Append(nil, steeringPhrases, sensitivePhrases, lastingPhrases, classes, activeMarkup, foreignOrders,
		shapesA, shapesUpper, shapesAtoC, shapesDtoF, shapesG, shapesHtoL, shapesMtoO, shapesPtoR, shapesS, shapesTtoZ, shapesOther,
		stems, twoParts, services, placeholderParts, commonWords, refusedAt, heldAt, longDocument, longScene, heldIfScene, MaxValueBytes, MaxNoteBytes, MaxTagBytes, MaxTags))
	want := fmt.Sprintf("%s %x", revision, sum[:8])
	got, err := os.ReadFile("testdata/revision.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != want {
		t.Errorf("the tables changed: raise revision, and write this to testdata/revision.txt: %s", want)
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
			if s.prefix[0] != '$' && len(s.prefix)+s.min < shortest {
				t.Errorf("%q may be shorter than %d bytes, which are passed over", s.prefix, shortest)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d shapes", n)
	}
}

func TestPhrasesAreWrittenAsTheirReaderExpects(t *testing.T) {
	for _, table := range [][]phrase{steeringPhrases, sensitivePhrases, lastingPhrases} {
		for _, p := range table {
			words := strings.Fields(p.text)
			if len(words) == 0 || words[0][0] == '*' || words[len(words)-1][0] == '*' || p.points < 1 {
				t.Errorf("%q", p.text)
			}
			for _, w := range words {
				for _, a := range strings.Split(strings.TrimSuffix(w, "?"), "|") {
					if a == "" || a != strings.ToLower(a) || strings.HasPrefix(a, "@") && classes[a[1:]] == "" {
						t.Errorf("%q: %q", p.text, a)
					}
				}
			}
		}
	}
}
