package policy

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

func ordinary() []Candidate {
	var list []Candidate
	for _, t := range []string{
		"concise, no filler", "always run the tests before committing", "prefers tabs over spaces in Go files",
		"Deploys go through GitHub Actions; never deploy from a laptop", "Use `uv run pytest -q` to run the tests",
		"tests need a running redis on 6379; start it with docker compose up -d redis before the suite",
	} {
		list = append(list, Candidate{Key: "workflow.tests", Value: memfile.Str(t), Labels: labels.Labels{Source: "explicit user preference", Tags: []string{"style"}}, Scope: "project", Raw: true})
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

func BenchmarkScanFourMegabytes(b *testing.B) {
	src := []byte(strings.Repeat("- always run the tests before committing, and keep the API key in the vault\n", (4<<20)/76))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Scan(src)
	}
}
