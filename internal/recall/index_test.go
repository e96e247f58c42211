package recall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// indexOf builds and opens one segment.
func indexOf(t testing.TB, docs []index.Doc) *index.Index {
	t.Helper()
	data, err := index.Build(slices.Clone(docs), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ids asks a question and gives the ids of the hits that are not weak.
func ids(t testing.TB, x *index.Index, q Query) []string {
	t.Helper()
	hits, err := Search(x, q)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, h := range hits {
		if !h.Weak {
			list = append(list, h.ID)
		}
	}
	return list
}

// chat makes docs of a few words in sessions, files and days; the same seed makes
// the same.
func chat(seed uint64, n int) []index.Doc {
	rnd := rand.New(rand.NewPCG(seed, 7))
	docs := make([]index.Doc, n)
	for i := range docs {
		words := make([]string, 3+rnd.IntN(12))
		for j := range words {
			words[j] = word(uint64(rnd.IntN(60)))
		}
		d := index.Doc{
			ID: fmt.Sprintf("d%d", i), Scope: []string{"project", "user"}[rnd.IntN(2)], Tier: index.Tier(rnd.IntN(int(index.TierFile) + 1)),
			Conversation: fmt.Sprintf("c%d", rnd.IntN(2)), Source: fmt.Sprintf("f%d.md", i*2/3), Text: strings.Join(words, " "),
			Speaker: []string{"user", "Ann", "Ben"}[rnd.IntN(3)], Time: time.Unix(1_700_000_000+int64(rnd.IntN(5))*86400, 0).UTC(), Seq: i,
			Category: "fact", Tags: []string{word(uint64(rnd.IntN(9)))}, Pinned: rnd.IntN(9) == 0, Weight: float64(rnd.IntN(3)), Confidence: 0.5,
		}
		d.Path = d.Source
		if rnd.IntN(3) > 0 {
			d.Session = fmt.Sprintf("s%d", rnd.IntN(4))
		}
		docs[i] = d
	}
	return docs
}

// same fails where two indexes answer differently.
func same(t *testing.T, what string, a, b *index.Index) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%s: %d and %d docs", what, a.Len(), b.Len())
	}
	r := DefaultRanking()
	r.Support = 0
	for i := range 60 {
		q := Query{Text: fmt.Sprintf("%s %s %s what did Ann say?", word(uint64(i)), word(uint64(i+7)), word(uint64(i/2))), MaxHits: 10, Ranking: &r, Explain: true}
		switch i % 4 {
		case 1:
			q.Conversations = []string{"c1"}
		case 2:
			q.Scopes, q.Tags = []string{"user"}, []string{word(3), word(4), word(5)}
		}
		x, err := Search(a, q)
		y, err2 := Search(b, q)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if len(x) != len(y) {
			t.Fatalf("%s: %q: %d and %d hits", what, q.Text, len(x), len(y))
		}
		for j := range x {
			if x[j].ID != y[j].ID || x[j].Score-y[j].Score > 1e-4 || y[j].Score-x[j].Score > 1e-4 {
				t.Fatalf("%s: %q: hit %d: %s %v %v and %s %v %v", what, q.Text, j, x[j].ID, x[j].Score, x[j].Parts, y[j].ID, y[j].Score, y[j].Parts)
			}
		}
	}
}

func TestADocIsReadBackAsItWasBuilt(t *testing.T) {
	docs := chat(1, 50)
	back := map[string]string{}
	for d, err := range indexOf(t, docs).Docs() {
		if err != nil {
			t.Fatal(err)
		}
		back[d.ID] = fmt.Sprintf("%+v", d)
	}
	for _, d := range docs {
		if want := fmt.Sprintf("%+v", d); back[d.ID] != want {
			t.Errorf("got %s\nwant %s", back[d.ID], want)
		}
	}
}

func TestTheOrderOfDocsDoesNotMatter(t *testing.T) {
	docs := chat(2, 200)
	first, err := index.Build(slices.Clone(docs), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(docs)
	second, err := index.Build(docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(second) {
		t.Fatalf("%d and %d bytes", len(first), len(second))
	}
	x, _ := index.Open(first)
	y, _ := index.Open(second)
	same(t, "reversed", x, y)
}

// TestSegmentsAnswerAsOne changes docs in newer segments, and compares with one
// segment of what is left.
func TestSegmentsAnswerAsOne(t *testing.T) {
	for seed := range uint64(4) {
		docs := chat(seed, 150)
		source := func(d index.Doc) index.Source { return index.Source{Scope: d.Scope, Path: d.Source} }
		rnd := rand.New(rand.NewPCG(seed, 9))
		data, err := index.Build(slices.Clone(docs[:100]), nil)
		if err != nil {
			t.Fatal(err)
		}
		segments := [][]byte{data}
		live := slices.Clone(docs[:100])
		for step := range 3 {
			// New docs, some of which come from sources that are known already.
			fresh := slices.Clone(docs[100+15*step : 115+15*step])
			for i := range fresh {
				if rnd.IntN(2) == 0 {
					fresh[i].Scope, fresh[i].Source = docs[rnd.IntN(100)].Scope, docs[rnd.IntN(100)].Source
					fresh[i].Path = fresh[i].Source
				}
			}
			drops := []index.Source{source(docs[rnd.IntN(100)]), {Scope: "project", Path: "never-there.md"}}
			gone := map[index.Source]bool{}
			for _, s := range drops {
				gone[s] = true
			}
			for _, d := range fresh {
				gone[source(d)] = true
			}
			live = append(slices.DeleteFunc(live, func(d index.Doc) bool { return gone[source(d)] }), fresh...)
			if data, err = index.Build(slices.Clone(fresh), drops); err != nil {
				t.Fatal(err)
			}
			segments = append(segments, data)
			x, err := index.Open(segments...)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("seed %d, step %d", seed, step), x, indexOf(t, live))
		}
	}
}

func TestAnEmptyIndexAnswersNothing(t *testing.T) {
	if list := ids(t, indexOf(t, nil), Query{Text: "anything"}); len(list) != 0 {
		t.Errorf("got %v", list)
	}
	x, err := index.Open()
	if err != nil {
		t.Fatal(err)
	}
	if list := ids(t, x, Query{Text: "anything"}); len(list) != 0 {
		t.Errorf("got %v", list)
	}
}
