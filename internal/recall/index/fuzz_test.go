package index_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
)

// turns are docs of two conversations, in sessions and alone.
func turns(n int) []index.Doc {
	words := []string{"token", "vault", "deploy", "cache", "retry", "queue", "Oslo"}
	docs := make([]index.Doc, n)
	for i := range docs {
		docs[i] = index.Doc{
			ID: fmt.Sprintf("d%d", i), Scope: []string{"project", "user"}[i%2], Tier: index.Tier(i % (int(index.TierFile) + 1)),
			Conversation: fmt.Sprintf("c%d", i%2), Source: fmt.Sprintf("f%d.md", i*2/3), Path: fmt.Sprintf("f%d.md#L%d", i*2/3, i),
			Text:    fmt.Sprintf("the %s needs a %s since %s?", words[i%7], words[i/2%7], words[i/3%7]),
			Speaker: []string{"user", "Ann", "Ben"}[i%3], Time: time.Unix(1_700_000_000+int64(i%5)*86400, 0).UTC(), Seq: i,
			Category: "fact", Tags: []string{words[i%3]}, Pinned: i%9 == 0, Weight: float64(i % 3), Confidence: 0.5, Counted: true,
		}
		if i%4 > 0 {
			docs[i].Session = fmt.Sprintf("s%d", i%4)
		}
	}
	return docs
}

func segment(f testing.TB, n int) []byte {
	data, err := index.Build(turns(n), []index.Source{{Scope: "project", Path: "gone.md"}})
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// FuzzOpen damages a segment and then makes its checksums right again, so that what
// reads behind them is tried: an error or an answer, never a panic.
func FuzzOpen(f *testing.F) {
	data := segment(f, 50) // enough for a basis
	f.Add(uint32(0), byte(0), uint32(0), byte(0))
	for i := range uint32(40) {
		f.Add(i*uint32(len(data))/40, byte(255), i*77, byte(1))
	}
	f.Fuzz(func(t *testing.T, at uint32, x byte, at2 uint32, y byte) {
		bad := index.Resealed(data, at, x, at2, y)
		tryIndex(bad)
		tryIndex(data, bad)
	})
}

// FuzzOpenBytes opens any bytes.
func FuzzOpenBytes(f *testing.F) {
	data := segment(f, 5)
	f.Add(data)
	f.Add(data[:8])
	f.Fuzz(func(_ *testing.T, data []byte) { tryIndex(data) })
}

// tryIndex does all that an index is there for.
func tryIndex(segments ...[]byte) {
	x, err := index.Open(segments...)
	if err != nil {
		return
	}
	_ = x.Check()
	for range x.Docs() {
	}
	_, _ = index.Merge(segments, nil)
	_, _ = recall.Search(x, recall.Query{Text: "vault deploy when did Ann say queue in November 2023?", Explain: true})
	_, _ = recall.Search(x, recall.Query{Text: "token", Conversations: []string{"c1"}, Tags: []string{"vault"}})
}

func TestAnyDamagedByteIsAnError(t *testing.T) {
	data := segment(t, 120)
	x, err := index.Open(data)
	if err != nil || x.Check() != nil {
		t.Fatal("the sound one:", err)
	}
	for at := range data {
		bad := slices.Clone(data)
		bad[at] ^= 1 << (at % 8)
		x, err := index.Open(bad)
		if err == nil {
			err = x.Check()
		}
		if !errors.Is(err, index.ErrCorrupt) && !errors.Is(err, index.ErrVersion) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
	for n := range data {
		if _, err := index.Open(data[:n]); !errors.Is(err, index.ErrCorrupt) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}
