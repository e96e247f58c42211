package recall

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// facts makes n facts of about 150 characters, with words as frequent as in a
// language.
func facts(n int) []index.Doc {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.07, 3, 30000)
	docs := make([]index.Doc, n)
	for i := range docs {
		var b strings.Builder
		for b.Len() < 150 {
			fmt.Fprintf(&b, "%s ", word(zipf.Uint64()))
		}
		id := fmt.Sprintf("%08x-0000-8000-8000-%012x", i, i)
		docs[i] = index.Doc{
			ID: id, Tier: index.TierFact, Scope: "project", Conversation: "project", Category: "fact",
			Source: "memories/entries/project/facts/" + id + ".md", Path: "memories/entries/project/facts/" + id + ".md",
			Text: strings.TrimSpace(b.String()), Time: time.Unix(1_700_000_000+int64(i), 0),
		}
	}
	return docs
}

// word is a made-up word for a rank.
func word(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aiou"
	w := []byte{}
	for rank += 60; rank > 0; rank /= uint64(len(consonants) * len(vowels)) {
		r := rank % uint64(len(consonants)*len(vowels))
		w = append(w, consonants[r%uint64(len(consonants))], vowels[r/uint64(len(consonants))])
	}
	return string(w)
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		docs := facts(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				data, err := index.Build(slices.Clone(docs), nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(data))/1e6, "MB")
			}
		})
	}
}

// BenchmarkSearch opens a mapped file and asks one question of three words, as a
// process does that was started for it.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		data, err := index.Build(facts(n), nil)
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(b.TempDir(), "index")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		question := word(3) + " " + word(200) + " " + word(2000)
		b.Run(fmt.Sprintf("cold/%d", n), func(b *testing.B) {
			for b.Loop() {
				data, release, err := index.Map(path)
				if err != nil {
					b.Fatal(err)
				}
				x, err := index.Open(data)
				if err != nil {
					b.Fatal(err)
				}
				if hits, err := Search(x, Query{Text: question}); err != nil || len(hits) == 0 {
					b.Fatal(hits, err)
				}
				release()
			}
		})
		x, _ := index.Open(data)
		b.Run(fmt.Sprintf("warm/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Search(x, Query{Text: question}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
