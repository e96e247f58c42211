package policy

import (
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
)

func ordinary() []Candidate {
	var list []Candidate
	for _, t := range []string{
		"concise, no filler", "always run the tests before committing", "prefers tabs over spaces in Go files",
		"Deploys go through GitHub Actions; never deploy from a laptop", "Use `uv run pytest -q` to run the tests",
		"tests need a running redis on 6379; start it with docker compose up -d redis before the suite",
	} {
		list = append(list, Candidate{Key: "workflow.tests", Value: memfile.Str(t), Source: "explicit user preference", Tags: []string{"style"}, Scope: "project", Raw: true})
	}
	return list
}

func BenchmarkAnOrdinaryItem(b *testing.B) {
	list := ordinary()
	Rule(list[0])
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Rule(list[i%len(list)])
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		newVocabulary(steeringPhrases, sensitivePhrases)
	}
}

func BenchmarkScanFourMegabytes(b *testing.B) {
	src := []byte(strings.Repeat("- always run the tests before committing, and keep the API key in the vault\n", (4<<20)/76))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Scan(src)
	}
}

// The aims are 2 µs for the median and 50 µs for the slowest in a hundred; the
// test allows what a busy machine adds.
func TestAnOrdinaryItemCostsMicroseconds(t *testing.T) {
	list := ordinary()
	Rule(list[0])
	var took []time.Duration
	for i := range 2000 {
		start := time.Now()
		Rule(list[i%len(list)])
		took = append(took, time.Since(start))
	}
	sort.Slice(took, func(a, b int) bool { return took[a] < took[b] })
	median, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("median %v, p99 %v", median, p99)
	if median > 100*time.Microsecond {
		t.Errorf("median %v", median)
	}
}
