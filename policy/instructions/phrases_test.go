package instructions

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/policy/chars"
)

func TestPhrasesAreWrittenAsTheirReaderExpects(t *testing.T) {
	table, scored := orderTable(), 0
	for n, p := range table.phrases {
		if p.points > 0 {
			scored++
		}
		words := strings.FieldsFunc(p.text, func(r rune) bool { return r == ' ' || r == '+' })
		if len(words) == 0 || words[0][0] == '*' || strings.HasSuffix(words[0], "?") || strings.Contains("*1*2*3*4*5*6*7*8*9", words[len(words)-1]) && words[len(words)-1] != "*" || p.text != strings.ToLower(p.text) {
			t.Errorf("%q", p.text)
		}
		for _, part := range table.partsOf(n) {
			if len(part.words) == 0 && !part.stop && !part.end {
				t.Errorf("%q: a part without words", p.text)
			}
		}
	}
	if scored < 150 || len(table.phrases) < 2000 || len(table.phrases) > 1<<16-1 {
		t.Errorf("%d phrases with points, %d in all", scored, len(table.phrases))
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		t := &Table{openings: make([]opening, 0, 8<<10), phrases: make([]phrase, 0, 5<<10)}
		t.readPhrases(phraseText)
		t.readOrders()
		t.sortOpenings()
	}
}

// TestEveryConceptHasWords: a name in orders.txt that is misspelt would leave its rule without a word.
func TestEveryConceptHasWords(t *testing.T) {
	table := orderTable()
	said, needed := table.host, conceptSet{}
	for _, p := range table.phrases {
		said = said.with(table.bits[p.concept])
	}
	for _, rule := range table.rules {
		needed = needed.with(rule.needs).with(rule.unless)
		if !said.hasAll(rule.needs) || rule.needs == (conceptSet{}) {
			t.Errorf("a rule about %s needs a concept without words", rule.kind)
		}
	}
	if said != needed || len(table.rules) < 30 {
		t.Errorf("concepts %x have words, the rules need %x", said, needed)
	}
}

func TestRulesOfMarkupAndTranscriptsAreComplete(t *testing.T) {
	for text, least := range map[string]int{markupText: 20, transcriptText: 10} {
		lines := 0
		for line := range strings.Lines(text) {
			if n := strings.Count(line, "\t"); n == 3 {
				lines++
			} else if n != 0 {
				t.Errorf("%d tabs: %s", n, line)
			}
		}
		rules := chars.ParseRules(text).List
		for _, r := range rules {
			if r.Regexp().SubexpIndex("s") < 0 {
				t.Errorf("no group s: %s", r.Regexp())
			}
		}
		if lines < least || lines != len(rules) {
			t.Errorf("%d rules, %d read", lines, len(rules))
		}
	}
}
