package instructions

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// What the tables hold is written down: policy's own test reads it, and wants a new
// revision where it changes.
func TestTablesAreWrittenDown(t *testing.T) {
	sum := sha256.Sum256(fmt.Append(nil, phraseText, activeMarkup, foreignOrders, looseSettings, toolNames, RefusedAt, HeldAt, longDocument, longScene, heldIfScene))
	want := fmt.Sprintf("%x", sum[:8])
	got, err := os.ReadFile("testdata/tables.txt")
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("the tables changed: write this to policy/instructions/testdata/tables.txt: %s", want)
	}
}

func TestPhrasesAreWrittenAsTheirReaderExpects(t *testing.T) {
	all := phraseTables()
	if len(all.steering) < 100 || len(all.planted) < 20 || len(all.private) < 20 {
		t.Fatalf("%d, %d and %d phrases", len(all.steering), len(all.planted), len(all.private))
	}
	for _, table := range [][]Phrase{all.steering, all.planted, all.private} {
		for _, p := range table {
			words := strings.Fields(p.Text)
			if len(words) == 0 || words[0][0] == '*' || words[len(words)-1][0] == '*' || p.Points < 1 {
				t.Errorf("%q", p.Text)
			}
			for _, w := range words {
				for _, a := range strings.Split(strings.TrimSuffix(w, "?"), "|") {
					if a == "" || a != strings.ToLower(a) || strings.HasPrefix(a, "@") && all.classes[a[1:]] == "" {
						t.Errorf("%q: %q", p.Text, a)
					}
				}
			}
		}
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		t := phraseTables()
		NewVocabulary(slices.Concat(t.steering, t.planted), t.private)
	}
}

// TestEveryConceptHasWords: a name in risk.txt that is misspelt would leave its rule without a word.
func TestEveryConceptHasWords(t *testing.T) {
	lists := riskLists()
	names := map[concept]bool{"topDomains": true, "forbidding": true}
	for _, risk := range risks {
		for _, c := range risk.needs {
			names[c] = true
			if c != otherPlace && len(lists[c]) == 0 {
				t.Errorf("%s has no words", c)
			}
		}
	}
	for name := range lists {
		if !names[name] {
			t.Errorf("no rule needs %q", name)
		}
	}
}
