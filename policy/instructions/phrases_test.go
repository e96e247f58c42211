package instructions

import (
	"slices"
	"strings"
	"testing"
)

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

// TestEveryConceptHasWords: a name in orders.txt that is misspelt would leave its rule without a word.
func TestEveryConceptHasWords(t *testing.T) {
	table := orderTable()
	said, needed := table.host, concepts{}
	for _, o := range table.all[1:] {
		said = said.with(o.phrase.bits)
	}
	for _, rule := range table.rules {
		needed = needed.with(rule.needs)
		if !said.has(rule.needs) || rule.needs == (concepts{}) {
			t.Errorf("a rule about %s needs a concept without words", rule.kind)
		}
	}
	if said != needed || len(table.rules) < 30 {
		t.Errorf("concepts %x have words, the rules need %x", said, needed)
	}
}
