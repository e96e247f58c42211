package recall

import (
	"fmt"
	"maps"
	"testing"

	"github.com/memctl/memctl/recall/index"
)

// TestLeast: what a doc must have of a question by itself.
func TestLeast(t *testing.T) {
	docs := []index.Doc{
		{ID: "a", Text: "retries wait for a second, then give up", Source: "a"},
		{ID: "b", Text: "the cache", Tags: []string{"retries"}, Source: "b"},
		{ID: "c", Text: "the queue holds retries", Source: "c"},
	}
	for i := range 20 {
		docs = append(docs, index.Doc{ID: fmt.Sprintf("z%d", i), Text: fmt.Sprintf("zone %d of the map", i), Source: fmt.Sprintf("z%d", i)})
	}
	x := indexOf(t, docs)
	for name, tt := range map[string]struct {
		query string
		least int
		ids   map[string]bool
	}{
		"one word, nothing asked":    {"retries", 0, map[string]bool{"a": true, "b": true, "c": true}},
		"one word of a label":        {"retries", 2, map[string]bool{"b": true}},
		"two words of a text":        {"retries queue", 2, map[string]bool{"b": true, "c": true}},
		"more than any has":          {"retries queue", 3, nil},
		"a word that most have":      {"zone map", 2, nil},
		"a word that asks, and one":  {"recommend retries", 3, nil},
		"three words of one of them": {"retries wait second", 3, map[string]bool{"a": true}},
	} {
		hits, err := Search(x, Query{Text: tt.query, Least: tt.least, K: 50})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, h := range hits {
			got[h.ID] = true
		}
		if !maps.Equal(got, tt.ids) {
			t.Errorf("%s: %v, want %v", name, got, tt.ids)
		}
	}
}

// TestLeastInASmallStore: the words that most of a small store has count, as long as it
// is small.
func TestLeastInASmallStore(t *testing.T) {
	for n, want := range map[int]bool{5: true, 8: true, 12: false, 60: false} {
		var docs []index.Doc
		for i := range n {
			id := fmt.Sprintf("d%d", i)
			docs = append(docs, index.Doc{ID: id, Text: fmt.Sprintf("the %s server runs in %s", word(uint64(i)), word(uint64(i+100))), Source: id})
		}
		hits, err := Search(indexOf(t, docs), Query{Text: "where does the " + word(2) + " server stand?", Least: 2})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(hits) == 1 && hits[0].ID == "d2"; found != want {
			t.Errorf("of %d docs with a word in common: %d hits, want one: %t", n, len(hits), want)
		}
		// The words of one doc alone always count.
		hits, err = Search(indexOf(t, docs), Query{Text: word(2) + " " + word(102), Least: 2})
		if err != nil || len(hits) != 1 || hits[0].ID != "d2" {
			t.Errorf("of %d docs: %d hits (%v), want d2", n, len(hits), err)
		}
	}
}
