package recall

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// built fails where docs cannot be built.
func built(t *testing.T, docs []Doc, drops ...Source) []byte {
	t.Helper()
	data, err := Build(docs, drops)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestJoiningIsBuildingOfAllDocs(t *testing.T) {
	for seed := range uint64(20) {
		docs := chat(seed, 1+int(seed)*7)
		for i := range docs {
			docs[i].Counted = i%2 == 0
		}
		drops := []Source{{"project", "f1.md"}, {"user", "old.md"}}
		rnd := rand.New(rand.NewPCG(seed, 3))
		parts := make([][]Doc, 1+rnd.IntN(4))
		at := map[Source]int{} // what is of one source stays together
		for _, d := range docs {
			source := Source{d.Scope, d.Source}
			if _, ok := at[source]; !ok {
				at[source] = rnd.IntN(len(parts))
			}
			parts[at[source]] = append(parts[at[source]], d)
		}
		var segments [][]byte
		for _, p := range parts {
			part, err := BuildPart(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			segments = append(segments, part)
		}
		joined, err := Join(segments, drops, false)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(joined, built(t, docs, drops...)) {
			t.Fatalf("seed %d: %d segments joined are not what is built of their docs", seed, len(parts))
		}
	}
}

func TestMergingIsBuildingOfWhatIsLeft(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var segments [][]byte
		left := []Doc{}
		for n := range 5 {
			docs := chat(seed+uint64(n), 10+rnd.IntN(60))
			var drops []Source
			for range rnd.IntN(4) {
				d := docs[rnd.IntN(len(docs))]
				drops = append(drops, Source{d.Scope, d.Source}, Source{d.Scope, "none.md"})
			}
			dropped := func(d Doc) bool {
				same := func(o Doc) bool { return o.Scope == d.Scope && o.Source == d.Source }
				return slices.ContainsFunc(docs, same) || slices.Contains(drops, Source{d.Scope, d.Source})
			}
			left = append(slices.DeleteFunc(left, dropped), docs...)
			segments = append(segments, built(t, docs, drops...))
		}
		merged, err := Merge(segments)
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
		merged, err := Merge(segments)
		if err != nil || !bytes.Equal(merged, built(t, nil)) {
			t.Errorf("%d segments: %v", len(segments), err)
		}
	}
}
