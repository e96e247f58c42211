package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/meaning"
)

// written are docs of a few English words each.
func written(t *testing.T, n int) *Index {
	t.Helper()
	words := strings.Fields(`database server password customer invoice garden flower kitchen recipe violin orchestra train ticket
airport engine gearbox doctor hospital river mountain compiler parser network firewall backup schedule meeting colleague holiday
salary contract lawyer court soldier battle planet telescope bacteria protein forest animal dog painting museum novel poem`)
	rnd := rand.New(rand.NewPCG(1, 2))
	docs := make([]Doc, n)
	for i := range docs {
		id := fmt.Sprint("d", i)
		docs[i] = Doc{ID: id, Source: id + ".md", Scope: "project", Text: id}
		for range 5 {
			docs[i].Text += " " + words[rnd.IntN(len(words))]
		}
	}
	var segments [][]byte
	for part := range slices.Chunk(docs, n/2) {
		data, err := Build(slices.Clone(part), nil)
		if err != nil {
			t.Fatal(err)
		}
		segments = append(segments, data)
	}
	x, err := Open(segments...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestSimilarChoosesWhatCosineFindsBest(t *testing.T) {
	x := written(t, 2000)
	even := func(doc int) bool { return doc%2 == 0 }
	for _, question := range []string{"where do we eat", "the violinist plays a concert", "which software reads the source", "a trip to the lake"} {
		vector := (&meaning.Reader{}).Vector(question)
		cosine := func(doc int) float64 {
			c, err := x.Cosine(doc, vector)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		chosen, err := x.Similar(vector, 200, even)
		if err != nil {
			t.Fatal(err)
		}
		if len(chosen) < 200 || len(chosen) > 300 || slices.ContainsFunc(chosen, func(doc int) bool { return !even(doc) }) {
			t.Errorf("%q: %d docs, want about 200, and even ones only", question, len(chosen))
		}
		all, err := x.Similar(vector, 5000, even)
		if err != nil || len(all) != 1000 {
			t.Fatalf("%q: %d docs of 1000, %v", question, len(all), err)
		}
		slices.SortFunc(all, func(a, b int) int { return cmp.Compare(cosine(b), cosine(a)) })
		found := 0
		for _, doc := range all[:20] {
			if slices.Contains(chosen, doc) {
				found++
			}
		}
		if found < 16 {
			t.Errorf("%q: %d of the 20 most similar docs are chosen", question, found)
		}
	}
}
