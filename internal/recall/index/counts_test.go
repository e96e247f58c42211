package index

import (
	"fmt"
	"maps"
	"slices"
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
	data, err := Build(slices.Clone(docs), drops)
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
	docs, ok, err := x.MemoriesOf(9, "project")
	if err != nil || !ok || len(docs) != 9 {
		t.Errorf("%d remembered, %v, %v", len(docs), ok, err)
	}
	if some, ok, err := x.MemoriesOf(8, "project"); err != nil || ok || some != nil {
		t.Errorf("%d remembered of more than there may be, %v", len(some), err)
	}
	for i := range docs {
		got.Without(&docs[i])
	}
	if len(got) > 0 {
		t.Errorf("counts %v without all", got)
	}
	marked, err := x.StartDocs()
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
