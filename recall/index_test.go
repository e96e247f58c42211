package recall

import (
	"testing"
	"time"
)

func TestSearchFinds(t *testing.T) {
	docs := []Doc{
		{ID: "a", Text: "The parseHTTPHeader function lives in net/header_parse.go", Source: "a.md", Time: time.Unix(100, 0)},
		{ID: "b", Text: "Caroline went to a support group yesterday", Source: "b.md", Session: "s1"},
		{ID: "c", Text: "東京タワーに行きました", Source: "c.md", Session: "s1"},
	}
	data, err := Build(docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"http header": "a", "support groups": "b", "東京": "c", "header_parse.go": "a"} {
		hits, err := x.Search(Query{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].ID != want {
			t.Errorf("%q: got %v, want %s", query, hits, want)
		}
	}
	delta, err := Build([]Doc{{ID: "b", Text: "now about something else entirely", Source: "b.md", Session: "s1"}}, []Source{{"", "c.md"}})
	if err != nil {
		t.Fatal(err)
	}
	if x, err = Open(data, delta); err != nil {
		t.Fatal(err)
	}
	if hits, _ := x.Search(Query{Text: "support group 東京"}); len(hits) != 0 {
		t.Errorf("what a newer segment dropped is found: %v", hits)
	}
	if hits, _ := x.Search(Query{Text: "entirely"}); len(hits) != 1 {
		t.Errorf("what a newer segment holds is not found")
	}
}
