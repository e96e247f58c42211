package recall

import (
	"fmt"
	"maps"
	"testing"
	"time"
)

// counted are docs of one scope: each with a category, topics and a day.
func counted(n int) []Doc {
	var docs []Doc
	for i := range n {
		docs = append(docs, Doc{
			ID: fmt.Sprintf("d%02d", i), Tier: TierFact, Scope: "project", Source: fmt.Sprintf("f%02d.md", i), Text: fmt.Sprintf("fact number %d", i),
			Category: []string{"rule", "decision"}[i%2], Topics: []string{"even", "odd"}[i%2 : i%2+1], Time: time.Unix(int64(i)*86400, 0),
			Counted: i != 3 && i != 7, Unconfirmed: i == 3 || i == 7, Marked: i%4 == 0, Pinned: i == 8,
		})
	}
	return docs
}

func open(t *testing.T, segments ...[]byte) *Index {
	t.Helper()
	x, err := Open(segments...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func segmentOf(t *testing.T, drops []Source, docs ...Doc) []byte {
	t.Helper()
	data, err := Build(docs, drops)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCountsAreOfWhatIsThere: a doc that a newer segment replaces or drops counts
// as it is now.
func TestCountsAreOfWhatIsThere(t *testing.T) {
	docs := counted(10)
	base := segmentOf(t, nil, docs...)
	again := docs[0]
	again.Topics, again.Marked = []string{"new", "new"}, false
	settled := docs[7]
	settled.Counted, settled.Unconfirmed = true, false
	x := open(t, base, segmentOf(t, []Source{{"project", "f05.md"}, {"project", "f00.md"}}, again, settled))
	got, err := x.Counts()
	if err != nil {
		t.Fatal(err)
	}
	topic := func(name string) Count { return Count{Scope: "project", Name: name, Topic: true} }
	kind := func(name string) Count { return Count{Scope: "project", Tier: TierFact, Name: name} }
	want := Counts{topic("even"): 4, topic("odd"): 3, topic("new"): 1, kind("rule"): 5, kind("decision"): 3, {Scope: "project", Unconfirmed: true}: 1}
	if !maps.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
	docs, ok, err := x.Remembered(9, "project")
	if err != nil || !ok || len(docs) != 9 {
		t.Errorf("%d remembered, %v, %v", len(docs), ok, err)
	}
	if some, ok, err := x.Remembered(8, "project"); err != nil || ok || some != nil {
		t.Errorf("%d remembered of more than there may be, %v", len(some), err)
	}
	for i := range docs {
		got.Without(&docs[i])
	}
	if len(got) > 0 {
		t.Errorf("counts %v without all", got)
	}
	marked, err := x.Marked()
	if err != nil || len(marked) != 2 || marked[0].ID != "d08" || marked[1].ID != "d04" || !marked[0].Pinned || !marked[1].Counted {
		t.Errorf("marked %v, %v", marked, err)
	}
}

func TestLatest(t *testing.T) {
	x := open(t, segmentOf(t, nil, counted(10)...))
	for name, tt := range map[string]struct {
		tier Tier
		day  time.Time
		max  int
		ids  string
	}{
		"the last ones":       {TierFact, time.Time{}, 2, "[d09 d08]"},
		"of a day":            {TierFact, time.Unix(3*86400, 0).UTC(), 0, "[d03]"},
		"of a tier that none": {TierNote, time.Time{}, 2, "[]"},
	} {
		docs, err := x.Latest(tt.tier, tt.day, tt.max)
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, d := range docs {
			ids = append(ids, d.ID)
		}
		if got := fmt.Sprint(ids); got != tt.ids {
			t.Errorf("%s: %s, want %s", name, got, tt.ids)
		}
	}
}

// TestLeast: what a doc must have of a question by itself.
func TestLeast(t *testing.T) {
	docs := []Doc{
		{ID: "a", Text: "retries wait for a second, then give up", Source: "a"},
		{ID: "b", Text: "the cache", Tags: []string{"retries"}, Source: "b"},
		{ID: "c", Text: "the queue holds retries", Source: "c"},
	}
	for i := range 20 {
		docs = append(docs, Doc{ID: fmt.Sprintf("z%d", i), Text: fmt.Sprintf("zone %d of the map", i), Source: fmt.Sprintf("z%d", i)})
	}
	x := open(t, segmentOf(t, nil, docs...))
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
		var docs []Doc
		for i := range n {
			id := fmt.Sprintf("d%d", i)
			docs = append(docs, Doc{ID: id, Text: fmt.Sprintf("the %s server runs in %s", word(uint64(i)), word(uint64(i+100))), Source: id})
		}
		hits, err := Search(open(t, segmentOf(t, nil, docs...)), Query{Text: "where does the " + word(2) + " server stand?", Least: 2})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(hits) == 1 && hits[0].ID == "d2"; found != want {
			t.Errorf("of %d docs with a word in common: %d hits, want one: %t", n, len(hits), want)
		}
		// The words of one doc alone always count.
		hits, err = Search(open(t, segmentOf(t, nil, docs...)), Query{Text: word(2) + " " + word(102), Least: 2})
		if err != nil || len(hits) != 1 || hits[0].ID != "d2" {
			t.Errorf("of %d docs: %d hits (%v), want d2", n, len(hits), err)
		}
	}
}
