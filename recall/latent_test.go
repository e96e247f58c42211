package recall

import (
	"fmt"
	"testing"

	"github.com/memctl/memctl/recall/index"
)

// kinds is a store of two kinds of memories: within a kind they share words in
// turn, and no word with the other kind.
func kinds(n int) []index.Doc {
	food := []string{"vegetarian", "dish", "spicy", "soup", "restaurant", "cuisine", "recipe", "noodle"}
	cars := []string{"engine", "diesel", "sedan", "gearbox", "truck", "hybrid", "tyre", "mileage"}
	var docs []index.Doc
	for i := range n {
		for name, words := range map[string][]string{"food": food, "cars": cars} {
			text := fmt.Sprintf("%s %s %s number%d", words[i%8], words[(i+1+i/8)%8], words[(i+3)%8], i)
			docs = append(docs, index.Doc{ID: fmt.Sprintf("%s-%d", name, i), Scope: "project", Source: fmt.Sprintf("%s-%d.md", name, i), Text: text})
		}
	}
	return docs
}

// foodOf counts the hits of the kind food, and the others.
func foodOf(t *testing.T, x *index.Index, query string, k int, r Ranking) (food, other int) {
	t.Helper()
	hits, err := Search(x, Query{Text: query, K: k, Ranking: &r})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		if h.ID[:4] == "food" {
			food++
		} else {
			other++
		}
	}
	return food, other
}

func TestWhatIsAboutTheSameIsFoundWithoutASharedWord(t *testing.T) {
	x := indexOf(t, kinds(60))
	r := DefaultRanking()
	r.Bridge, r.Floor, r.Common = 0, 0, 0
	food, other := foodOf(t, x, "noodle umami", 60, r)
	if food < 20 || other*2 > food {
		t.Errorf("%d hits of the kind and %d others", food, other)
	}
	r.Latent = 0
	if alone, _ := foodOf(t, x, "noodle umami", 60, r); alone == 0 || alone > food-6 {
		t.Errorf("by words alone %d of the kind, and %d with what they are about", alone, food)
	}
}

func TestASmallStoreIsPutIntoTheBasisOfAnother(t *testing.T) {
	base, err := index.Build(kinds(40), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Both have the word once; one of them is about food.
	own := []index.Doc{
		{ID: "cars-new", Scope: "user", Source: "b.md", Text: "noodle diesel engine truck"},
		{ID: "food-new", Scope: "user", Source: "a.md", Text: "noodle dish soup cuisine"},
	}
	small, err := index.Build(own, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(base, small)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := Search(x, Query{Text: "noodle umami", K: 100, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	latent := map[string]float64{}
	for _, h := range hits {
		latent[h.ID] = h.Parts["latent"]
	}
	if latent["food-new"] <= latent["cars-new"] || latent["food-new"] == 0 {
		t.Errorf("new docs are near by %v and %v, want the first nearer", latent["food-new"], latent["cars-new"])
	}
}
