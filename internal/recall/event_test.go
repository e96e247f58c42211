package recall

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/meaning"
)

// about asks about the docs.
func about(t *testing.T, text string, most int, docs ...index.Doc) (list []Hit) {
	t.Helper()
	data, err := index.Build(slices.Clone(docs), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(data)
	if err == nil {
		list, err = FindForEvent(x, Event{Text: text, MaxHits: most})
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func aFact(id, text string, when ...string) index.Doc {
	return index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id, Text: text, When: when}
}

// TestTheScoreIsAsItSays holds a score against one that was worked out by hand. Nobody's table of meanings knows the words.
func TestTheScoreIsAsItSays(t *testing.T) {
	unknown := math.Log(1251 / 0.5) // no ordinary prompt has such a word, nor has another doc of ten
	for name, c := range map[string]struct {
		prompt string
		doc    index.Doc
		want   float64
	}{
		"two words of the text":        {"zorbix quuxle", aFact("a", "zorbix quuxle"), 2*unknown - math.Sqrt(2*unknown)},
		"one that the text lacks":      {"zorbix quuxle vrantik", aFact("a", "zorbix quuxle"), 2*unknown - math.Sqrt(2*unknown+unknown)},
		"a phrase of when":             {"zorbix quuxle", aFact("a", "vrantik", "zorbix quuxle"), 2*1.1*unknown - math.Sqrt(2*unknown) - 2.25},
		"a word of when":               {"zorbix", aFact("a", "vrantik", "zorbix"), 0.9*unknown - math.Sqrt(unknown) - 2.25},
		"a part of a phrase":           {"zorbix", aFact("a", "vrantik", "zorbix quuxle", "blorp"), 0.63*unknown - math.Sqrt(unknown) - 2.25},
		"the best sentence counts":     {"zorbix quuxle. vrantik blorp nerfle", aFact("a", "zorbix quuxle"), 2*unknown - math.Sqrt(2*unknown)},
		"numbers say nothing":          {"zorbix quuxle 2024 8080", aFact("a", "zorbix quuxle 2024"), 2*unknown - math.Sqrt(2*unknown)},
		"the same word twice says one": {"zorbix zorbix quuxle", aFact("a", "zorbix quuxle"), 2*unknown - math.Sqrt(2*unknown)},
	} {
		data, err := index.Build([]index.Doc{c.doc}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := index.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		s := &scorer{index: x, analyzer: &index.Analyzer{}, reader: &meaning.Reader{}}
		if err := s.chooseDocs(nil); err != nil {
			t.Fatal(err)
		}
		s.readEvent(c.prompt)
		docs, err := s.candidatesForEvent()
		if err != nil || len(docs) != 1 {
			t.Fatalf("%s: %v, %v", name, docs, err)
		}
		got, err := s.scoreByWords(0)
		if s.addMeaningScore(&got); err != nil || math.Abs(got.Score-c.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", name, got.Score, err, c.want)
		}
	}
}

// TestWhatManyHaveInCommonIsNotTheTopic: what speaks has to stand out from the fourth best.
func TestWhatManyHaveInCommonIsNotTheTopic(t *testing.T) {
	var alike []index.Doc
	for n := range 60 {
		alike = append(alike, aFact(strconv.Itoa(n), "about something else"))
	}
	alike = append(alike, aFact("a", "zorbix quuxle one"), aFact("b", "zorbix quuxle two"), aFact("c", "zorbix quuxle three"))
	if list := about(t, "zorbix quuxle", 3, alike...); len(list) != 3 {
		t.Errorf("of three: %v", list)
	}
	alike = append(alike, aFact("d", "zorbix quuxle four"))
	if list := about(t, "zorbix quuxle", 3, alike...); len(list) != 0 {
		t.Errorf("of four: %v", list)
	}
	if list := about(t, "zorbix quuxle vrantik nerfle", 3, append(alike, aFact("e", "zorbix quuxle vrantik nerfle"))...); len(list) != 1 || list[0].ID != "e" {
		t.Errorf("one that stands out: %v", list)
	}
}

func TestWhoSpeaks(t *testing.T) {
	docs := []index.Doc{
		aFact("webhook", "The payments webhook must answer within 3 seconds or Stripe retries it", "double billing", "callback handler"),
		aFact("money", "Prices are stored in minor units as integers; never use floats for money", "voucher", "cents"),
		{ID: "deploy.target", Tier: index.TierItem, Scope: "project", Source: "memories.md", Text: "the canary on Fly.io"},
		{ID: "t", Tier: index.TierFact, Scope: "project", Source: "t", Text: "we met", Tags: []string{"kubernetes"}, Category: "gotcha"},
	}
	for prompt, want := range map[string]string{
		"add the receipt to the stripe webhook handler":           "webhook",
		"customers complain about double billing":                 "webhook",
		"show the voucher in cents":                               "money",
		"why does the deploy target canary fail":                  "deploy.target",
		"which kubernetes gotcha do we have":                      "",
		"please fix the failing test and run the build once more": "",
		"": "",
	} {
		got := ""
		if list := about(t, prompt, 1, docs...); len(list) > 0 {
			got = list[0].ID
			if len(list) > 1 || len(list[0].Matched) == 0 {
				t.Errorf("%q: %v", prompt, list)
			}
		}
		if got != want {
			t.Errorf("%q: %q speaks, want %q", prompt, got, want)
		}
	}
}

// TestNoCommonWordOfAStoreSpeaks: a store in a language that the table does not know has common words of its own.
func TestNoCommonWordOfAStoreSpeaks(t *testing.T) {
	var docs []index.Doc
	for i, thing := range strings.Fields("Warenkorb Lieferschein Rechnung Gutschein Suche Verlag Autor Bestand Retoure Filiale") {
		docs = append(docs, aFact(string(rune('a'+i)), "Die Seite muss immer den "+thing+" zeigen, wenn der Kunde bezahlt; Sonderfall "+thing+"regel"))
	}
	if list := about(t, "muss die Seite immer den Kunde zeigen, wenn der", 1, docs...); len(list) > 0 {
		t.Errorf("%v", list)
	}
	if list := about(t, "die Retoureregel der Retoure ist falsch", 1, docs...); len(list) != 1 {
		t.Errorf("%v", list)
	}
}

func TestTheTableIsInOrder(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(promptTerms, "\n"), "\n")
	if len(lines) < 2000 || !slices.IsSortedFunc(lines, func(a, b string) int {
		x, _, _ := strings.Cut(a, " ")
		y, _, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	}) {
		t.Fatalf("%d lines, or they are not in order", len(lines))
	}
	for _, line := range lines {
		if term, n, _ := strings.Cut(line, " "); numberInTable(promptTerms, term) < 1 || isNumber(term) {
			t.Errorf("%q: found %d, the table has %s", term, numberInTable(promptTerms, term), n)
		}
	}
	for _, term := range []string{"", "zorbix", "\xff", "a b"} {
		if n := numberInTable(promptTerms, term); n != 0 {
			t.Errorf("%q: %d", term, n)
		}
	}
}

func BenchmarkAbout(b *testing.B) {
	var docs []index.Doc
	for i := range 500 {
		docs = append(docs, aFact(string(rune(0x4e00+i)), "the payments webhook of shop "+string(rune(0x4e00+i))+" must answer within seconds"))
	}
	data, _ := index.Build(slices.Clone(docs), nil)
	x, err := index.Open(data)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := FindForEvent(x, Event{Text: "add the receipt to the stripe webhook handler, and say within how many seconds it answers", MaxHits: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
