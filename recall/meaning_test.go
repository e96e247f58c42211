package recall

import (
	"testing"

	"github.com/memctl/memctl/recall/index"
)

// unlikeWords are memories of which none shares a word with the questions of these tests.
func unlikeWords() []index.Doc {
	return []index.Doc{
		fact("pay", "Invoices are issued in euros"),
		fact("chat", "Colleagues talk on Mattermost"),
		fact("test", "Unit tests run with the race detector"),
		fact("db", "The relational database is PostgreSQL"),
	}
}

func TestWhatIsSaidInOtherWordsIsFoundAndWeak(t *testing.T) {
	x := indexOf(t, unlikeWords())
	for question, want := range map[string]string{
		"which currency do customers owe": "pay",
		"where do teammates chat?":        "chat",
	} {
		r := DefaultRanking()
		r.Bridge = 0 // WordNet relates chat and talk
		hits, err := Search(x, Query{Text: question, Explain: true, Ranking: &r})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].ID != want || !hits[0].Weak || hits[0].Parts["meaning"] == 0 || hits[0].Parts["words"] != 0 {
			t.Errorf("%q: got %+v, want %s first, by its meaning alone, weak", question, hits, want)
		}
		r.Meaning = 0
		if hits, err := Search(x, Query{Text: question, Ranking: &r}); err != nil || len(hits) > 0 {
			t.Errorf("%q: got %+v without meaning, %v", question, hits, err)
		}
	}
}

func TestAQuestionWhoseWordsAreAllThereNeedsNoMeaning(t *testing.T) {
	hits, err := Search(indexOf(t, unlikeWords()), Query{Text: "relational database PostgreSQL", Explain: true})
	if err != nil || len(hits) != 1 || hits[0].ID != "db" || hits[0].Weak || hits[0].Parts["meaning"] != 0 {
		t.Errorf("got %+v, %v, want the one hit by its words", hits, err)
	}
}
