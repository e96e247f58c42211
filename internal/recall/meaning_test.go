package recall

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
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

func TestHitsByMeaningDoNotDependOnHowManyAreWanted(t *testing.T) {
	words := strings.Fields("database server password customer invoice garden flower kitchen recipe violin orchestra train ticket doctor river planet")
	docs := make([]index.Doc, 300)
	for i := range docs {
		docs[i] = fact(fmt.Sprintf("%03d", i), words[i%16]+" "+words[(i/16+3)%16]+" "+words[i*7%16])
	}
	x := indexOf(t, docs)
	for _, question := range []string{"who grows roses", "a musician plays", "which client owes money", "the login secret"} {
		var all []Hit
		for _, k := range []int{50, 10, 5, 1} {
			hits, err := Search(x, Query{Text: question, MaxHits: k, Explain: true})
			if err != nil || len(hits) < min(k, 20) {
				t.Fatalf("%q: %d hits of %d, %v", question, len(hits), k, err)
			}
			if all == nil {
				all = hits
			}
			if !reflect.DeepEqual(hits, all[:len(hits)]) {
				t.Errorf("%q: %d hits are not the first ones of more", question, k)
			}
		}
	}
}
