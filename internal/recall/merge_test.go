package recall

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
)

// built fails where docs cannot be built.
func built(t *testing.T, docs []index.Doc, drops ...index.Source) []byte {
	t.Helper()
	data, err := index.Build(slices.Clone(docs), drops)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMergingIsBuildingOfWhatIsLeft(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var segments [][]byte
		left := []index.Doc{}
		for n := range 5 {
			docs := chat(seed+uint64(n), 10+rnd.IntN(60))
			var drops []index.Source
			for range rnd.IntN(4) {
				d := docs[rnd.IntN(len(docs))]
				drops = append(drops, index.Source{Scope: d.Scope, Path: d.Source}, index.Source{Scope: d.Scope, Path: "none.md"})
			}
			dropped := func(d index.Doc) bool {
				same := func(o index.Doc) bool { return o.Scope == d.Scope && o.Source == d.Source }
				return slices.ContainsFunc(docs, same) || slices.Contains(drops, index.Source{Scope: d.Scope, Path: d.Source})
			}
			left = append(slices.DeleteFunc(left, dropped), docs...)
			segments = append(segments, built(t, docs, drops...))
		}
		merged, err := index.Merge(segments, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(merged, built(t, left)) {
			t.Fatalf("seed %d: the segments merged are not what is built of the %d docs that are left", seed, len(left))
		}
	}
}

func TestNothingMergesToNothing(t *testing.T) {
	for _, segments := range [][][]byte{nil, {built(t, nil)}, {built(t, nil), built(t, nil)}} {
		merged, err := index.Merge(segments, nil)
		if err != nil || !bytes.Equal(merged, built(t, nil)) {
			t.Errorf("%d segments: %v", len(segments), err)
		}
	}
}

// TestAnIndexForOneQuestionAnswersIt compares an index with the terms that a question needs, and one with all.
func TestAnIndexForOneQuestionAnswersIt(t *testing.T) {
	docs := chat(3, 200)
	for i := range docs {
		if i%3 == 0 {
			docs[i].Text += " yesterday"
		}
	}
	part, err := index.Build(slices.Clone(docs), nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(data []byte) *index.Index {
		x, err := index.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	all := open(part)
	for i := range 40 {
		text := fmt.Sprintf("When did Ann say %s %s?", word(uint64(i)), word(uint64(i+7)))
		asked, related := TermsOf(text)
		data, err := index.BuildForQuestion(docs, slices.Concat(asked, related))
		if err != nil {
			t.Fatal(err)
		}
		q := Query{Text: text, MaxHits: 10, Explain: true}
		want, err := Search(all, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Search(open(data), q)
		if err != nil || !reflect.DeepEqual(got, want) || len(want) == 0 {
			t.Fatalf("%q: %d hits, want %d: %v", text, len(got), len(want), err)
		}
	}
}
